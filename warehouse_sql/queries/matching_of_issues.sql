-- matching_of_issues
-- purpose: how much that a build knows matches a question, of some issues, with the users that came since
-- parameters: issue_ids, came_users (in that order) (what is put in has parameters of its own)
-- names:   placed, counted
-- returns: one row per issue: steps (events by step of the period; none where nothing matches), user_count (with those that came)
-- inputs:  none

with placed as (
    ${placed}
)

select
    issue_id,
    sumForEach(rows.steps) as steps,
    uniqMerge(rows.users_state) as user_count
from (
    ${counted}
    union all
    select
        came.1 as issue_id,
        emptyArrayUInt64() as steps,
        arrayReduce('uniqState', came.2) as users_state
    from (
        select arrayJoin(arrayZip({issue_ids:Array(UInt64)}, {came_users:Array(Array(UInt64))})) as came
    )
) as rows
group by issue_id
