-- recent_events
-- purpose: how many of the events received shortly before a moment can be seen by now
-- parameters: project_id, asked_at
-- returns: one row: event_count, copies included
-- inputs:  errata_read.error_events

select count() as event_count
from errata_read.error_events(projects = [{project_id:UInt32}])
where
    received_at >= {asked_at:DateTime64(3, 'UTC')} - interval 20 second
    and received_at < {asked_at:DateTime64(3, 'UTC')}
