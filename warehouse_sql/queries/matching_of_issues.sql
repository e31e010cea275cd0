-- matching_of_issues
-- purpose: how much that a build knows matches a question, of some issues, with the users that came since
-- parameters: issue_ids, came_users (in that order) (what is put in has parameters of its own)
-- names:   placed, counted
-- returns: one row per issue with anything: event_count, user_count (with those that came), steps (numbers and counts of events)
-- inputs:  none

with placed as (
    ${placed}
)

select
    issue_id,
    sum(rows.event_count) as event_count,
    uniqMerge(rows.users_state) as user_count,
    sumMap([rows.step], [rows.event_count]) as steps
from (
    select
        placed.issue_id as issue_id,
        toInt64(counted.step) as step,
        counted.event_count as event_count,
        counted.users_state as users_state
    from (
        ${counted}
    ) as counted
    inner join placed on counted.variant_hash = placed.variant_hash
    union all
    select
        came.1 as issue_id,
        toInt64(0) as step,
        0 as event_count,
        arrayReduce('uniqState', came.2) as users_state
    from (
        select arrayJoin(arrayZip({issue_ids:Array(UInt64)}, {came_users:Array(Array(UInt64))})) as came
    )
) as rows
group by issue_id
