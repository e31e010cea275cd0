-- issues
-- purpose: whether the issues add up to their totals of all time
-- returns: one row per project: project_id, built_count, expected_count
-- inputs:  errata_mart.issues, errata_mart.issue_totals

select
    project_id,
    sum(built) as built_count,
    sum(expected) as expected_count
from (
    select
        project_id,
        sum(event_count) as built,
        0 as expected
    from errata_mart.issues
    group by project_id
    union all
    select
        project_id,
        0 as built,
        sum(event_count) as expected
    from errata_mart.issue_totals
    where period = 'all' and is_whole
    group by project_id
)
group by project_id
