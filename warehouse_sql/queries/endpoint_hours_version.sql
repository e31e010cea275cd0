-- endpoint_hours_version
-- purpose: a number that changes with every build of the hours that a reader of endpoint_metric_over_time reads
-- parameters: projects, since
-- returns: one row: version
-- inputs:  errata_read.endpoint_metrics_hourly

select sum(cityHash64(day, built_through)) as version
from (
    select distinct
        toDate(hour) as day,
        built_through
    from errata_read.endpoint_metrics_hourly(projects = {projects:Array(UInt32)})
    where hour >= {since:DateTime('UTC')}
) as builds
