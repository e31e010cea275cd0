-- purpose: of the events meant the one that occurred last, with all it holds; of its copies that received first
-- returns: no row where there is none, else one

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
    payload,
    has_payload
from errata_raw.error_events
where ${is_meant}
order by occurred_at desc, item_id desc, received_at
limit 1
