-- variant_totals
-- purpose: whether the totals of all time add up to the days
-- returns: one row per project: project_id, built_count, expected_count
-- inputs:  errata_mart.variant_totals, errata_mart.variant_daily

select
    project_id,
    sum(built) as built_count,
    sum(expected) as expected_count
from (
    select
        project_id,
        sum(event_count) as built,
        0 as expected
    from errata_mart.variant_totals
    where period = 'all'
    group by project_id
    union all
    select
        project_id,
        0 as built,
        sum(event_count) as expected
    from errata_mart.variant_daily
    group by project_id
)
group by project_id
