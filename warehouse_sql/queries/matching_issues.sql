-- matching_issues
-- purpose: how much that a build knows matches a question, by the issue that the build put it into; of issues that are named the users, with those that came since
-- parameters: built_through, issue_ids, came_users (in that order) (what is put in has parameters of its own)
-- names:   counted
-- returns: one row per issue with anything, in the order of their ids: steps (events by step of the period: 31, more than a period has), event_count, user_count (0 of an issue that is not named, if the question is not to count users)
-- inputs:  errata_mart.issue_totals

with placed as (
    select
        arrayJoin(variant_hashes) as variant_hash,
        issue_id
    from errata_mart.issue_totals
    where
        period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
)

select
    matched.issue_id as issue_id,
    matched.steps as steps,
    arraySum(steps) as event_count,
    if(
        empty(came.users),
        finalizeAggregation(matched.users_state),
        arrayReduce('uniqMerge', [matched.users_state, arrayReduce('uniqState', came.users)])
    ) as user_count
from (
    ${counted}
) as matched
left join (
    select
        named.1 as issue_id,
        named.2 as users
    from (
        select arrayJoin(arrayZip({issue_ids:Array(UInt64)}, {came_users:Array(Array(UInt64))})) as named
    )
) as came on matched.issue_id = came.issue_id
where event_count > 0
order by issue_id
