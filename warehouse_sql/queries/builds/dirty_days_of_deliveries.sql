-- purpose: the days of log files that got deliveries since a mart's last build, with their first and last arrival
-- parameters: since, until (moments of receipt, half-open), oldest (days before it are never rebuilt)
-- returns: one row per day: window_start, first_received_at, last_received_at, row_count

select
    toDateTime(day, 'UTC') as window_start,
    min(received_at) as first_received_at,
    max(received_at) as last_received_at,
    count() as row_count
from errata_raw.deliveries
where
    received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
    and day >= toDate({oldest:DateTime('UTC')})
    and host != ''
    and file != ''
group by window_start
order by window_start
