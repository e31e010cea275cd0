-- purpose: the warehouse's clock, and what came in since marts were built
-- parameters: arrivals_since, kept_until (events received before it are known to who asks), assigned_since (when the totals of issues were built)
-- returns: one row: asked_at, recent_count (events received in the 20 s before, copies included), hashes of the events since the build, copies
--   included (0: there are none): kept_hash (received before kept_until), settled_hash (received so long ago that no more will appear),
--   arrived_hash (received from kept_until on); copies_since (when the first copy of one of the latter that could count in its place may have
--   come in), assigned_hash (of the variants assigned since; 0: none was), assigned_variants (those assigned from kept_until on, up to 1,001)

with
now64(3, 'UTC') as now,

(
    select (
        sumIf(cityHash64(variant_hash, issue_id, assigned_at, version), assigned_at >= {assigned_since:DateTime64(3, 'UTC')}),
        groupUniqArrayIf(1001)(variant_hash, assigned_at >= {kept_until:DateTime64(3, 'UTC')})
    )
    from errata_raw.variant_assignments
    where assigned_at >= least({assigned_since:DateTime64(3, 'UTC')}, {kept_until:DateTime64(3, 'UTC')})
) as assigned

select
    now as asked_at,
    countIf(received_at >= now - interval 20 second and received_at < now) as recent_count,
    sumIf(event_hash, is_arrival and received_at < {kept_until:DateTime64(3, 'UTC')}) as kept_hash,
    -- An insert is stamped when it begins, and seen up to 20 s later.
    sumIf(event_hash, is_arrival and received_at < now - interval 30 second) as settled_hash,
    sumIf(event_hash, is_new) as arrived_hash,
    -- No event occurs more than an hour after its receipt.
    least(minIf(received_at, is_new) - interval 2 day, minIf(occurred_at, is_new) - interval 2 hour) as copies_since,
    assigned.1 as assigned_hash,
    assigned.2 as assigned_variants
from (
    select
        received_at,
        occurred_at,
        cityHash64(item_id, received_at) as event_hash,
        received_at >= {arrivals_since:DateTime64(3, 'UTC')} as is_arrival,
        received_at >= {kept_until:DateTime64(3, 'UTC')} as is_new
    from errata_raw.error_events
    where received_at >= least({arrivals_since:DateTime64(3, 'UTC')}, now - interval 20 second)
)
