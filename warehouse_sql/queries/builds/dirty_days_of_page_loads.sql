-- purpose: the days of which an hour of page loads was put together again since a mart took them
-- parameters: since (the mart's watermark), until
-- returns: one row per day: window_start, first_received_at, last_received_at, row_count (loads to read)

with dirty as (
    select distinct toDate(hour) as day
    from errata_mart.page_loads
    where computed_through > {since:DateTime64(3, 'UTC')}
)

select
    toStartOfDay(hour) as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    count() as row_count
from errata_mart.page_loads
where toDate(hour) in (select day from dirty)
group by window_start
order by window_start
