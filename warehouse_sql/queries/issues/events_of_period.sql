-- purpose: how many events a search reads one by one
-- returns: one row: event_count

select (
    select sum(event_count)
    from errata_mart.variant_daily
    where
        not {by_hour:Bool}
        and day >= toDate({since:DateTime('UTC')})
        and day < toDate({until:DateTime('UTC')})
) + (
    select sum(event_count)
    from errata_mart.variant_hourly
    where
        {by_hour:Bool}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
) + (
    select count()
    from errata_raw.error_events
    where
        occurred_at >= {since:DateTime('UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and received_at >= (
            select max(built_through)
            from errata_mart.variant_daily
            where day >= toDate({since:DateTime('UTC')})
        )
) as event_count
