-- purpose: from which moment of receipt on the errors have to be looked at that occurred in an hour or later
-- returns: one row: first_received_at, built_through (1970: before the first build); what no build has met was received after it

select
    (
        select min(arrivals.first_received_at)
        from errata_read.hours_of_arrival as arrivals
        where window_start >= {hour:DateTime('UTC')}
    ) as first_received_at,
    (
        select max(as_of)
        from errata_read.build_progress
        where mart = 'variant_hourly'
    ) as built_through
