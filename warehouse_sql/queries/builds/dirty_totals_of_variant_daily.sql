-- purpose: whether a day was built since the totals took it, or a period begins anew
-- parameters: until, is_patient (large totals wait for more to come in)
-- returns: at most one row: window_start (1970), first_received_at, last_received_at, row_count (days and hours to read)

select
    toDateTime(0, 'UTC') as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    if(
        toStartOfDay(taken + interval 40 minute) != toStartOfDay({until:DateTime64(3, 'UTC')} + interval 40 minute),
        day_count,
        -- What got events is what is frequent: its rows hold more users than others.
        4 * dirty_count
    ) + hour_count as row_count
from (
    select
        max(day_built_through) as newest,
        (select max(built_through) from errata_mart.variant_totals) as taken,
        (select count() from errata_mart.variant_totals) as totals_count,
        (
            select count()
            from errata_raw.error_events
            where
                received_at >= (select max(built_through) from errata_mart.variant_totals)
                and received_at < {until:DateTime64(3, 'UTC')}
        ) as arrived_count,
        (select count() from errata_mart.variant_daily) as day_count,
        (
            select count()
            from errata_mart.variant_hourly
            where hour >= {until:DateTime64(3, 'UTC')} - interval 24 hour
        ) as hour_count,
        (
            select count()
            from errata_mart.variant_daily
            where (project_id, variant_hash) in (
                select
                    project_id,
                    variant_hash
                from errata_raw.error_events
                where
                    received_at >= (select max(built_through) from errata_mart.variant_totals)
                    and received_at < {until:DateTime64(3, 'UTC')}
                    and (select max(built_through) from errata_mart.variant_totals) > toDateTime64(0, 3, 'UTC')
            )
        ) as dirty_count
    from (
        select max(built_through) as day_built_through
        from errata_mart.variant_daily
        group by day
    )
)
where
    newest > toDateTime64(0, 3, 'UTC')
    and (
        -- Rows that did not change are copied: the more there are, the longer what came in waits for them, if it is little. Readers add it.
        newest > taken + toIntervalSecond(intDiv(totals_count, 2000))
        or (newest > taken and (arrived_count > 10000 or not {is_patient:Bool}))
        -- The totals hold what begins within 40 minutes of their watermark.
        or toStartOfHour(taken + interval 40 minute)
            != toStartOfHour({until:DateTime64(3, 'UTC')} + interval 40 minute)
    )
