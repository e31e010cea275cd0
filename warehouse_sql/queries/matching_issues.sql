-- matching_issues
-- purpose: how much that a build knows matches a question, by the issue that the build put it into
-- parameters: project_id, built_through (what is put in has parameters of its own)
-- names:   counted
-- returns: one row per issue with anything, in the order of their ids: event_count, user_count, steps (events by step of the period, of which there are at most 31)
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
    placed.issue_id as issue_id,
    sum(counted.event_count) as event_count,
    uniqMerge(counted.users_state) as user_count,
    sumResample(0, 31, 1)(counted.event_count, counted.step) as steps
from (
    ${counted}
) as counted
inner join placed on counted.variant_hash = placed.variant_hash
group by issue_id
order by issue_id
