-- recent_events
-- purpose: the warehouse's clock, and how many of the events received shortly before can be seen by then
-- returns: one row: asked_at, event_count (copies included)
-- inputs:  errata_raw.error_events

with now64(3, 'UTC') as now

select
    now as asked_at,
    count() as event_count
from errata_raw.error_events
where
    received_at >= now - interval 20 second
    and received_at < now
