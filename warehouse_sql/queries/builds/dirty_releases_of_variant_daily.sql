-- purpose: whether a day was built since the releases took it
-- parameters: until, is_patient (large ones wait for more to come in)
-- returns: at most one row: window_start (1970), first_received_at, last_received_at, row_count (days to read)

select
    toDateTime(0, 'UTC') as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    day_count as row_count
from (
    select
        max(day_built_through) as newest,
        (select max(built_through) from errata_mart.variant_releases) as taken,
        (select count() from errata_mart.variant_daily) as day_count
    from (
        select max(built_through) as day_built_through
        from errata_mart.variant_daily
        group by day
    )
)
where
    newest > toDateTime64(0, 3, 'UTC')
    -- All of it is written anew: the more there is, the longer what came in waits for it. Readers add it.
    and newest > taken + toIntervalSecond(if({is_patient:Bool}, intDiv(day_count, 20000), 0))
