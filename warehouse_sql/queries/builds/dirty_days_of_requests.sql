-- purpose: the days that got calls since a mart's last build, with their first and last arrival
-- parameters: since, until (moments of receipt, half-open), oldest (days before it are never rebuilt)
-- returns: one row per day and UTC day of receipt: window_start, first_received_at, last_received_at, row_count

select
    toStartOfDay(occurred_at) as window_start,
    min(received_at) as first_received_at,
    max(received_at) as last_received_at,
    count() as row_count
from errata_raw.requests
where
    received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
    and occurred_at >= {oldest:DateTime('UTC')}
group by window_start, toDate(received_at)
order by window_start, first_received_at
