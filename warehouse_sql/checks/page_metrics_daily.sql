-- purpose: whether the views counted in a table add up to their page loads
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(sample_count) as built_count,
    0 as expected_count
from errata_mart.page_metrics_daily
where metric = 'view' and day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
union all
select
    project_id,
    0 as built_count,
    -- Once in each day that a copy names.
    uniqExact(item_id) as expected_count
from errata_mart.page_loads
where
    toStartOfDay(hour) in {windows:Array(DateTime('UTC'))}
group by project_id, toDate(hour)
