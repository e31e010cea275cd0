-- purpose: how many events each day of a span brought: so much is looked at in one go
-- returns: one row per day of receipt that brought any: day, event_count

select
    toDate(received_at) as day,
    count() as event_count
from errata_raw.error_events
where
    received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
group by day
order by day
