-- endpoint_days_built
-- purpose: through which moment of receipt each day of endpoint metrics is built
-- parameters: since
-- returns: one row per day: built_day, through (milliseconds)
-- inputs:  errata_mart.endpoint_metrics_daily

select
    day as built_day,
    toUnixTimestamp64Milli(max(built_through)) as through
from errata_mart.endpoint_metrics_daily
where day >= {since:Date}
group by built_day
order by built_day
