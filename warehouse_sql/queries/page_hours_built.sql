-- page_hours_built
-- purpose: when each day was built last, of those that a reader of page_metric_over_time reads
-- parameters: projects, since
-- returns: one row per day: day, built_through
-- inputs:  errata_read.page_metrics_hourly

select
    toDate(hour) as day,
    max(hours.built_through) as built_through
from errata_read.page_metrics_hourly(projects = {projects:Array(UInt32)}) as hours
where metric = 'view' and hour >= {since:DateTime('UTC')}
group by day
order by day
