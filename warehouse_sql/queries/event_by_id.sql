-- event_by_id
-- purpose: one event with all it holds
-- parameters: projects, item_id
-- returns: no row for an unknown event, else one
-- inputs:  errata_read.error_events

select
    project_id,
    item_id,
    variant_hash,
    occurred_at,
    received_at,
    is_clock_corrected,
    environment,
    release,
    level,
    platform,
    server_name,
    service,
    message,
    type,
    trace_id,
    replay_id,
    user_hash,
    payload
from errata_read.error_events(projects = {projects:Array(UInt32)})
where item_id = {item_id:UUID}
order by received_at
limit 1
