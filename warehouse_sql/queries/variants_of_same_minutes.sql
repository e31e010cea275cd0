-- variants_of_same_minutes
-- purpose: what occurs in the minutes in which an issue does, with all that is needed to tell it from chance
-- parameters: project_id, variants, since, minute_limit, variant_limit
-- returns: one row per variant of another issue: shared (minutes it has in common), all_count (minutes it occurred in),
--   own_count (the issue's latest minutes that were looked at), busy_count (minutes since then in which anything occurred)
-- inputs:  errata_read.error_events

with own as materialized (
    select intDiv(toUnixTimestamp(occurred_at), 60) as minute
    from errata_read.error_events(projects = [{project_id:UInt32}])
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
        groupUniqArray(intDiv(toUnixTimestamp(occurred_at), 60)) as shared
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where
        received_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at >= (select begun_at from begun)
        and intDiv(toUnixTimestamp(occurred_at), 60) in (select minute from own)
        and variant_hash not in {variants:Array(UInt64)}
    group by variant_hash
    having length(shared) > 2
    order by length(shared) desc
    limit {variant_limit:UInt16}
),

whole as (
    select
        variant_hash,
        uniqExact(intDiv(toUnixTimestamp(occurred_at), 60)) as all_count
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where
        variant_hash in (select variant_hash from near)
        and received_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at >= (select begun_at from begun)
    group by variant_hash
)

select
    near.variant_hash as variant_hash,
    near.shared as shared,
    whole.all_count as all_count,
    (select count() from own) as own_count,
    (
        select uniqExact(intDiv(toUnixTimestamp(occurred_at), 60))
        from errata_read.error_events(projects = [{project_id:UInt32}])
        where
            received_at >= {since:DateTime64(3, 'UTC')}
            and occurred_at >= (select begun_at from begun)
    ) as busy_count
from near
inner join whole on near.variant_hash = whole.variant_hash
settings enable_materialized_cte = 1
