-- variant_counts_version
-- purpose: a number that changes with every build of the days that a reader of variant_counts may read
-- parameters: since
-- returns: one row: version
-- inputs:  errata_mart.variant_hourly, errata_mart.variant_daily

select sum(cityHash64(mart, day, built_through)) as version
from (
    select distinct
        'variant_hourly' as mart,
        toDate(hour) as day,
        built_through
    from errata_mart.variant_hourly
    where hour >= toStartOfDay({since:DateTime('UTC')})
    union all
    select distinct
        'variant_daily' as mart,
        day,
        built_through
    from errata_mart.variant_daily
    where day >= toDate({since:DateTime('UTC')})
) as builds
