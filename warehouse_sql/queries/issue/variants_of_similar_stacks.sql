-- purpose: stacks that may be like an issue's: of the same place, then of the same type, the newest first
-- returns: one row per variant: its shape, JSON

with own as materialized (
    select
        groupUniqArray(type) as types,
        groupUniqArray(culprit) as culprits
    from errata_raw.variants
    where variant_hash in {variants:Array(UInt64)}
),

near as (
    select variant_hash
    from errata_raw.variants
    where
        variant_hash not in {variants:Array(UInt64)}
        and (type in (select arrayJoin(types) from own) or culprit in (select arrayJoin(culprits) from own))
    order by culprit in (select arrayJoin(culprits) from own) desc, first_seen_at desc
    limit 1 by variant_hash
),

looked_at as materialized (
    select * from near
    limit {variant_limit:UInt16}
)

select
    variant_hash,
    shape
from errata_raw.variants
where variant_hash in (select variant_hash from looked_at)
order by precedence
limit 1 by variant_hash
settings enable_materialized_cte = 1
