-- live_edge
-- purpose: the warehouse's clock, and whether anything was assigned since totals were built
-- parameters: assigned_since
-- returns: one row: asked_at, recent_count (events received in the 20 s before, copies included), assigned_count (variants assigned since)
-- inputs:  errata_raw.error_events, errata_raw.variant_assignments

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
        where assigned_at >= {assigned_since:DateTime64(3, 'UTC')}
    ) as assigned_count
