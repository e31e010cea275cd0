-- purpose: when each day was built last, of those that a reader of endpoint_metric_over_time reads
-- returns: one row per day: day, built_through

select
    toDate(hour) as day,
    max(hours.built_through) as built_through
from errata_mart.endpoint_metrics_hourly as hours
where hour >= {since:DateTime('UTC')}
group by day
order by day
