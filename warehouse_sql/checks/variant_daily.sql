-- variant_daily
-- purpose: whether the days counted in a table add up to their hours
-- parameters: windows
-- returns: one row per project: project_id, built_count, expected_count
-- inputs:  errata_mart.variant_daily, errata_mart.variant_hourly

select
    project_id,
    sum(built) as built_count,
    sum(expected) as expected_count
from (
    select
        project_id,
        sum(event_count) as built,
        0 as expected
    from errata_mart.variant_daily
    where day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    group by project_id
    union all
    select
        project_id,
        0 as built,
        sum(event_count) as expected
    from errata_mart.variant_hourly
    where toDate(hour) in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    group by project_id
)
group by project_id
