-- recent_events
-- purpose: the warehouse's clock, and how many of the events received shortly before can be seen by then
-- parameters: project_id
-- returns: one row: asked_at, event_count (copies included)
-- inputs:  errata_read.error_events

with now64(3, 'UTC') as now

select
    now as asked_at,
    count() as event_count
from errata_read.error_events(projects = [{project_id:UInt32}])
where
    received_at >= now - interval 20 second
    and received_at < now
