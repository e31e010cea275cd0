-- purpose: what occurs in the minutes in which an issue does, with all that is needed to tell it from chance
-- definition: How many minutes with an event of this issue also have an event of the other issue, compared with what chance would give.
-- returns: one row per variant of another issue with three minutes in common: hours since 1970 in which it occurred, the
--   minutes of each (one bit a minute), own (the issue's latest minutes, since 1970), compared_count (variants of other
--   issues since the first of those, as many as could have three minutes in common)

with own as materialized (
    select intDiv(toUnixTimestamp(occurred_at), 60) as minute
    from errata_raw.error_events
    where
        variant_hash in {variants:Array(UInt64)}
        and received_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at >= {since:DateTime64(3, 'UTC')}
    group by minute
    order by minute desc
    limit {minute_limit:UInt16}
),

begun as materialized (
    select toDateTime64(min(minute) * 60, 3, 'UTC') as begun_at
    from own
),

near as materialized (
    select
        variant_hash,
        uniqExact(intDiv(toUnixTimestamp(occurred_at), 60)) as shared_count
    from errata_raw.error_events
    where
        received_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at >= (select begun_at from begun)
        and intDiv(toUnixTimestamp(occurred_at), 60) in (select minute from own)
        and variant_hash not in {variants:Array(UInt64)}
    group by variant_hash
    having shared_count > 2
    order by shared_count desc, variant_hash
    limit {variant_limit:UInt16}
),

hourly as (
    select
        variant_hash,
        intDiv(toUnixTimestamp(occurred_at), 3600) as hour,
        groupBitOr(bitShiftLeft(toUInt64(1), toMinute(occurred_at, 'UTC'))) as minutes
    from errata_raw.error_events
    where
        variant_hash in (select variant_hash from near)
        and received_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at >= (select begun_at from begun)
    group by variant_hash, hour
)

select
    variant_hash,
    groupArray(hour) as hours,
    groupArray(minutes) as minutes_of_hours,
    (select groupArray(minute) from own) as own,
    (
        select count()
        from (
            select variant_hash
            from errata_raw.error_events
            where
                received_at >= {since:DateTime64(3, 'UTC')}
                and occurred_at >= (select begun_at from begun)
                and variant_hash not in {variants:Array(UInt64)}
            group by variant_hash
            having count() > 2
        )
    ) as compared_count
from hourly
group by variant_hash
settings enable_materialized_cte = 1
