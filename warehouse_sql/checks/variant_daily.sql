-- variant_daily
-- purpose: whether the days counted in a table add up to their hours
-- parameters: windows
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.variant_daily, errata_mart.variant_hourly

with versions as (
    select
        toDate(hour) as day,
        max(built_through) as built_through
    from errata_mart.variant_hourly
    where toDate(hour) in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    group by day
)

select
    (
        select sum(event_count)
        from ${table}
        where day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    ) as built_count,
    (
        select sum(event_count)
        from errata_mart.variant_hourly
        where (toDate(hour), built_through) in (select day, built_through from versions)
    ) as expected_count
