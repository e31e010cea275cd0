-- newest_event_of_issue
-- purpose: the last event of an issue, of those that occurred since a moment, with all it holds
-- parameters: project_id, since
-- names:   is_own
-- returns: as event_by_id
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
from errata_read.error_events(projects = [{project_id:UInt32}])
where
    (${is_own})
    and occurred_at >= {since:DateTime64(3, 'UTC')}
order by occurred_at desc, item_id desc, received_at
limit 1
