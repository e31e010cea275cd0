-- variant_releases
-- purpose: whether the events of all variants and releases add up to the days
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.variant_releases, errata_mart.variant_daily

with versions as (
    select
        day,
        max(built_through) as built_through
    from errata_mart.variant_daily
    group by day
)

select
    (select sum(event_count) from ${table}) as built_count,
    (
        select sum(event_count)
        from errata_mart.variant_daily
        where (day, built_through) in (select day, built_through from versions)
    ) as expected_count
