-- event_by_id
-- purpose: one event with all it holds, and the issue it belongs to by now
-- parameters: projects, item_id
-- returns: no row for an unknown event, else one; issue_id 0: its variant is in no issue yet
-- inputs:  errata_read.error_events, errata_read.issue_variants

with event as (
    select *
    from errata_read.error_events(projects = {projects:Array(UInt32)})
    where item_id = {item_id:UUID}
    order by received_at
    limit 1
)

select
    event.project_id as project_id,
    event.item_id as item_id,
    event.variant_hash as variant_hash,
    variants.issue_id as issue_id,
    event.occurred_at as occurred_at,
    event.received_at as received_at,
    event.is_clock_corrected as is_clock_corrected,
    event.environment as environment,
    event.release as release,
    event.level as level,
    event.platform as platform,
    event.server_name as server_name,
    event.service as service,
    event.message as message,
    event.type as type,
    event.trace_id as trace_id,
    event.replay_id as replay_id,
    event.user_hash as user_hash,
    event.payload as payload
from event
left join (
    select project_id, variant_hash, issue_id
    from errata_read.issue_variants(projects = {projects:Array(UInt32)})
) as variants
    on event.project_id = variants.project_id and event.variant_hash = variants.variant_hash
