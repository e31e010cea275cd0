-- page_metrics_hourly
-- purpose: whether the views counted in a table add up to their page loads
-- parameters: windows
-- returns: one row per project: project_id, built_count, expected_count
-- inputs:  errata_mart.page_metrics_hourly, errata_mart.page_loads

select
    project_id,
    sum(built) as built_count,
    sum(expected) as expected_count
from (
    select
        project_id,
        sum(sample_count) as built,
        0 as expected
    from errata_mart.page_metrics_hourly
    where metric = 'view' and hour in {windows:Array(DateTime('UTC'))}
    group by project_id
    union all
    select
        project_id,
        0 as built,
        count() as expected
    from errata_mart.page_loads
    where
        hour in {windows:Array(DateTime('UTC'))}
        and navigation_type = 'navigate'
    group by project_id
)
group by project_id
