-- issues_with_arrivals
-- purpose: one page of the issue list, of the issues that something arrived of since the totals
-- parameters: project_id, period, since, built_through, counted_through, earliest, environments (one, or none: all),
--   issue_ids, joining_variants, joined_issues, changed_issue_ids,
--   changed_statuses, changed_assignees, changed_priorities, moved_above (to be listed though
--   they stand before the cursor), sort, has_cursor, after_value, after_issue_id, limit (the conditions put in have parameters of their own)
-- returns: one row per issue, the greatest first; arrivals (occurred_at, release, whether of a chosen environment) are not in the totals
-- inputs:  errata_read.issues_with_arrivals

with
    arrayMap(look -> look.1, issues.looks) as titles,
    arrayMap(look -> look.2, issues.looks) as culprits,
    arrayMap(look -> concat(look.1, ' ', look.2, ' ', look.3), issues.looks) as texts

select
    issue_id,
    transform(
        issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_statuses:Array(String)},
        issues.status
    ) as status,
    transform(
        issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_assignees:Array(String)},
        issues.assignee::String
    ) as assignee,
    transform(
        issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_priorities:Array(String)},
        issues.chosen_priority::String
    ) as chosen_priority,
    level,
    event_count,
    user_count,
    first_seen,
    last_seen,
    arrivals,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'users', toInt64(user_count),
        {sort:String} = 'first_seen', toUnixTimestamp64Milli(first_seen),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value
from errata_read.issues_with_arrivals(
    projects = [{project_id:UInt32}],
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    counted_through = {counted_through:DateTime64(3, 'UTC')},
    earliest = {earliest:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)},
    issue_ids = {issue_ids:Array(UInt64)},
    joining_variants = {joining_variants:Array(UInt64)},
    joined_issues = {joined_issues:Array(UInt64)}
) as issues
where
    (${issue_condition})
    and (
        not {has_cursor:Bool}
        or (sort_value, issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
        or issue_id in {moved_above:Array(UInt64)}
    )
order by sort_value desc, issue_id desc
limit {limit:UInt16}
