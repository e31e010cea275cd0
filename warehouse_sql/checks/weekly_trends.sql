-- weekly_trends
-- purpose: whether the views counted by week add up to their days
-- parameters: windows
-- returns: one row per project: project_id, built_count, expected_count
-- inputs:  errata_mart.weekly_trends, errata_mart.page_metrics_daily

with versions as (
    select
        day,
        max(built_through) as built_through
    from errata_mart.page_metrics_daily
    where toStartOfWeek(day, 1) in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    group by day
)

select
    project_id,
    sum(built) as built_count,
    sum(expected) as expected_count
from (
    select
        project_id,
        sum(sample_count) as built,
        0 as expected
    from ${table}
    where metric = 'view' and week in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    group by project_id
    union all
    select
        project_id,
        0 as built,
        sum(sample_count) as expected
    from errata_mart.page_metrics_daily
    where metric = 'view' and (day, built_through) in (select day, built_through from versions)
    group by project_id
)
group by project_id
