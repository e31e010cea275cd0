-- endpoint_metrics_version
-- purpose: a number that changes with every build of the days that a reader of endpoint_metrics reads
-- parameters: since
-- returns: one row: version
-- inputs:  errata_mart.endpoint_metrics_daily

select sum(cityHash64(day, built_through)) as version
from (
    select distinct
        day,
        built_through
    from errata_mart.endpoint_metrics_daily
    where day >= toDate({since:DateTime('UTC')})
) as builds
