-- purpose: the days whose hours were built again since variant_daily took them
-- returns: one row per day: window_start, first_received_at, last_received_at, row_count (hours to read)

with hourly as (
    select
        toDate(hour) as day,
        max(built_through) as built_through,
        count() as hour_count
    from errata_mart.variant_hourly
    group by day
),

daily as (
    select
        day,
        max(built_through) as built_through
    from errata_mart.variant_daily
    group by day
)

select
    toDateTime(hourly.day, 'UTC') as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    hourly.hour_count as row_count
from hourly
left join daily on hourly.day = daily.day
where hourly.built_through > daily.built_through
order by window_start
