-- purpose: the warehouse's clock, and what came in since marts were built
-- parameters: arrivals_since, assigned_since (when the totals of issues were built), variants_through (a variant recorded since then has no events in totals: they
--   come after it; an erasure records others again)
-- names: own_variants (a condition on variant_hash)
-- returns: one row: asked_at, recent_count (events received in the 20 s before, of all variants, copies included), arrived_count (own events received since the
--   build, copies included), copies_since (when the first copy of one of these that could count in its place may have come in), assigned_count (variants
--   that totals may count, assigned since)

with now64(3, 'UTC') as now

select
    now as asked_at,
    countIf(received_at >= now - interval 20 second and received_at < now) as recent_count,
    countIf(is_own_arrival) as arrived_count,
    -- No event occurs more than an hour after its receipt.
    least(
        minIf(received_at, is_own_arrival) - interval 2 day,
        minIf(occurred_at, is_own_arrival) - interval 2 hour
    ) as copies_since,
    (
        select count()
        from errata_raw.variant_assignments
        where
            assigned_at >= {assigned_since:DateTime64(3, 'UTC')}
            and variant_hash in (
                select variant_hash
                from errata_raw.variants
                where least(recorded_at, first_seen_at) < {variants_through:DateTime64(3, 'UTC')}
            )
    ) as assigned_count
from (
    select
        received_at,
        occurred_at,
        received_at >= {arrivals_since:DateTime64(3, 'UTC')} and (${own_variants}) as is_own_arrival
    from errata_raw.error_events
    where received_at >= least({arrivals_since:DateTime64(3, 'UTC')}, now - interval 20 second)
)
