-- purpose: whether the days counted in a table add up to their hours
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(event_count) as built_count,
    0 as expected_count
from errata_mart.variant_daily
where day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
union all
select
    project_id,
    0 as built_count,
    sum(event_count) as expected_count
from errata_mart.variant_hourly
where toDate(hour) in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
