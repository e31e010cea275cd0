-- purpose: the hours whose page loads were put together again since a mart took them
-- parameters: since (the mart's watermark), until
-- returns: one row per hour: window_start, first_received_at, last_received_at, row_count (loads to read)

select
    hour as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    count() as row_count
from errata_mart.page_loads
where computed_through > {since:DateTime64(3, 'UTC')}
group by hour
order by hour
