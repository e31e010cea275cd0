-- variant_counts_version
-- purpose: a number that changes with every build of the days that a reader of variant_counts may read
-- parameters: projects, since
-- returns: one row: version
-- inputs:  errata_read.variant_hourly, errata_read.variant_daily

select sum(cityHash64(mart, day, built_through)) as version
from (
    select distinct
        'variant_hourly' as mart,
        toDate(hour) as day,
        built_through
    from errata_read.variant_hourly(projects = {projects:Array(UInt32)})
    where hour >= toStartOfDay({since:DateTime('UTC')})
    union all
    select distinct
        'variant_daily' as mart,
        day,
        built_through
    from errata_read.variant_daily(projects = {projects:Array(UInt32)})
    where day >= toDate({since:DateTime('UTC')})
) as builds
