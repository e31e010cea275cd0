-- purpose: whether totals were built, somebody decided something or the clock ended what somebody decided, since the issues were put together
-- returns: at most one row: window_start (1970), first_received_at, last_received_at, row_count (totals to read)

with taken as (
    select
        max(decided_through) as decided_through,
        max(built_through) as built_through
    from errata_mart.issues
)

select
    toDateTime(0, 'UTC') as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    totals_count as row_count
from (
    select
        (select max(counted_through) from errata_mart.issue_totals) as totals_through,
        (select count() from errata_mart.issue_totals where period = 'all') as totals_count,
        (
            select count()
            from errata_raw.issue_actions
            where
                acted_at >= (select decided_through from taken)
                and acted_at < {until:DateTime64(3, 'UTC')}
        ) + (
            select count()
            from errata_raw.variant_issues
            where
                recorded_at >= (select decided_through from taken)
                and recorded_at < {until:DateTime64(3, 'UTC')}
        ) + (
            select count()
            from errata_raw.grouping_switches
            where
                switched_at >= (select decided_through from taken)
                and switched_at < {until:DateTime64(3, 'UTC')}
        ) + (
            -- Ignored until a moment that has come since.
            select countIf(
                parseDateTime64BestEffortOrZero(JSONExtractString(detail, 'until'), 3, 'UTC')
                between (select decided_through from taken) and {until:DateTime64(3, 'UTC')}
            )
            from errata_raw.issue_actions
            where action = 'ignore'
        ) as decided_count
)
where
    totals_through > toDateTime64(0, 3, 'UTC')
    and (
        totals_through > (select built_through from taken)
        or decided_count > 0
    )
