-- purpose: whether the views counted by week add up to their days
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(sample_count) as built_count,
    0 as expected_count
from errata_mart.weekly_trends
where metric = 'view' and week in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
union all
select
    project_id,
    0 as built_count,
    sum(sample_count) as expected_count
from errata_mart.page_metrics_daily
where metric = 'view' and toStartOfWeek(day, 1) in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
