-- matching_issues
-- purpose: how much that a build knows matches a question, by the issue that the build put it into
-- parameters: project_id, built_through (what is put in has parameters of its own)
-- names:   counted
-- returns: one row per issue with anything, in the order of their ids: steps (events by step of the period: 31, more than a period has), event_count, user_count (0 if the question is not to count users)
-- inputs:  errata_read.issue_totals

with placed as (
    select
        arrayJoin(variant_hashes) as variant_hash,
        issue_id
    from errata_read.issue_totals(projects = [{project_id:UInt32}])
    where
        period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
)

select
    issue_id,
    steps,
    arraySum(steps) as event_count,
    finalizeAggregation(users_state) as user_count
from (
    ${counted}
)
where event_count > 0
order by issue_id
