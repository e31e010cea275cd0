-- arrivals_of_project
-- purpose: the events of a project that were received since a moment, and the warehouse's clock
-- parameters: received_from
-- returns: one row: asked_at, event_count (received in the 20 s before, copies included), copies (item_id, variant_hash, occurred_at,
--   received_at, environment, release, user_hash), not more than 50,001
-- inputs:  errata_raw.error_events

with now64(3, 'UTC') as now

select
    now as asked_at,
    countIf(received_at >= now - interval 20 second and received_at < now) as event_count,
    groupArrayIf(50001)(
        (item_id, variant_hash, occurred_at, received_at, environment::String, release::String, user_hash),
        received_at >= {received_from:DateTime64(3, 'UTC')}
    ) as copies
from errata_raw.error_events
where received_at >= least({received_from:DateTime64(3, 'UTC')}, now - interval 20 second)
