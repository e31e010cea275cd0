-- live_edge
-- purpose: the warehouse's clock, and whether anything that totals may count was assigned since they were built
-- parameters: assigned_since, variants_through (a variant recorded since then has no events in totals: they come after it; an erasure records others again)
-- returns: one row: asked_at, recent_count (events received in the 20 s before, copies included), assigned_count (such variants)
-- inputs:  errata_raw.error_events, errata_raw.variant_assignments, errata_raw.variants

with now64(3, 'UTC') as now

select
    now as asked_at,
    (
        select count()
        from errata_raw.error_events
        where
            received_at >= now - interval 20 second
            and received_at < now
    ) as recent_count,
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
