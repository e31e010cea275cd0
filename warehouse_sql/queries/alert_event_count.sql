-- alert_event_count
-- purpose: how many matching events a span of receipt brought: whether there is anything to look at closer
-- parameters: project_id, since, until (the condition put in has parameters of its own)
-- returns: one row: event_count (copies included)
-- inputs:  errata_read.error_events

select count() as event_count
from errata_read.error_events(projects = [{project_id:UInt32}])
where
    received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
    and (${event_condition})
