-- whole_event
-- purpose: of the events meant the one that occurred last, with all it holds; of its copies that received first
-- parameters: projects (the condition put in has parameters of its own)
-- names:   is_meant
-- returns: no row where there is none, else one
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
where ${is_meant}
order by occurred_at desc, item_id desc, received_at
limit 1
