-- issues
-- purpose: whether the issues add up to the totals of the variants that are in one
-- returns: one row per project: project_id, built_count, expected_count
-- inputs:  errata_mart.issues, errata_mart.variant_totals, errata_raw.variant_issues

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
    from errata_mart.variant_totals
    where
        period = 'all'
        and (project_id, variant_hash) in (select project_id, variant_hash from errata_raw.variant_issues)
    group by project_id
)
group by project_id
