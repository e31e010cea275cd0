-- page_of_issues
-- purpose: one page of the issue list, of the issues that a build has otherwise than they are by now
-- parameters: changed_issue_ids, changed_statuses, changed_assignees,
--   changed_priorities (what the totals do not know yet), moved_above (to be listed though they stand before the cursor),
--   sort, has_cursor, after_value, after_issue_id, limit (what is put in has parameters of its own)
-- names:   source, issue_condition
-- returns: one row per issue, the greatest first
-- inputs:  none

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
        issues.status::String
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
    issues.level::String as level,
    event_count,
    user_count,
    first_seen,
    last_seen,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'users', toInt64(user_count),
        {sort:String} = 'first_seen', toUnixTimestamp64Milli(first_seen),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value
from ${source} as issues
where
    (${issue_condition})
    and (
        not {has_cursor:Bool}
        or (sort_value, issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
        or issue_id in {moved_above:Array(UInt64)}
    )
order by sort_value desc, issue_id desc
limit {limit:UInt16}
