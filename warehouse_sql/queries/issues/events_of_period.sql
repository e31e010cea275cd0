-- purpose: how many events a search reads one by one, as of the last build
-- returns: one row: event_count, built_through (events received before are counted)

select
    sum(event_count) as event_count,
    max(built_through) as built_through
from (
    select
        event_count,
        built_through
    from errata_mart.variant_daily
    where
        not {by_hour:Bool}
        and day >= toDate({since:DateTime('UTC')})
        and day < toDate({until:DateTime('UTC')})
    union all
    select
        event_count,
        built_through
    from errata_mart.variant_hourly
    where
        {by_hour:Bool}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
)
