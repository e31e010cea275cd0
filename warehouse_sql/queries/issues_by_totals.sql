-- issues_by_totals
-- purpose: one page of the issue list by totals alone, of the issues that nothing arrived of since
-- parameters: project_id, period, since, built_through, environments (one, or none: all),
--   but_issue_ids (with arrivals, or put together otherwise by now), changed_issue_ids, changed_statuses, changed_assignees,
--   changed_priorities (what the totals do not know yet), moved_above (to be listed though they stand
--   before the cursor), sort, has_cursor, after_value, after_issue_id, limit (the conditions put in have parameters of their own)
-- returns: one row per issue, the greatest first
-- inputs:  errata_read.listed_totals

with
    arrayMap(look -> look.1, totals.looks) as titles,
    arrayMap(look -> look.2, totals.looks) as culprits,
    arrayMap(look -> concat(look.1, ' ', look.2, ' ', look.3), totals.looks) as texts

select
    issue_id,
    transform(
        issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_statuses:Array(String)},
        totals.status::String
    ) as status,
    transform(
        issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_assignees:Array(String)},
        totals.assignee::String
    ) as assignee,
    transform(
        issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_priorities:Array(String)},
        totals.chosen_priority::String
    ) as chosen_priority,
    totals.level::String as level,
    event_count,
    user_count,
    first_seen,
    last_seen,
    [] as arrivals,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'users', toInt64(user_count),
        {sort:String} = 'first_seen', toUnixTimestamp64Milli(first_seen),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value
from errata_read.listed_totals(
    projects = [{project_id:UInt32}],
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)}
) as totals
where
    issue_id not in {but_issue_ids:Array(UInt64)}
    and (${issue_condition})
    and (
        not {has_cursor:Bool}
        or (sort_value, issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
        or issue_id in {moved_above:Array(UInt64)}
    )
order by sort_value desc, issue_id desc
limit {limit:UInt16}
