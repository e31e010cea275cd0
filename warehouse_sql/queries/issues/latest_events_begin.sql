-- purpose: how far back to look for about so many of the latest matching events, to the hour or day
-- parameters: since, until, by_hour, reads_events, most (the conditions put in have parameters of their own)
-- returns: one row: begins_at (since or later), event_count (matching events of the period), is_all (none are left out)

with counted as (
    select
        toStartOfHour(occurred_at) as bucket_at,
        count() as event_count
    from errata_raw.error_events
    where
        {reads_events:Bool}
        and occurred_at >= {since:DateTime('UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and (${event_condition})
    group by bucket_at
    union all
    select
        bucket_at,
        sum(counts.event_count) as event_count
    from (
        ${part:variant_counts}
    ) as counts
    where
        not {reads_events:Bool}
        and bucket_at < {until:DateTime64(3, 'UTC')}
        and (${count_condition})
    group by bucket_at
),

buckets as (
    select
        bucket_at,
        sum(counted.event_count) as own_count,
        sum(own_count) over (order by bucket_at desc) - own_count as newer_count
    from counted
    group by bucket_at
)

select
    if(count() = 0, {since:DateTime('UTC')}, minIf(bucket_at, newer_count < {most:UInt64})) as begins_at,
    sum(own_count) as event_count,
    countIf(newer_count >= {most:UInt64}) = 0 as is_all
from buckets
settings enable_materialized_cte = 1
