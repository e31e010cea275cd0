-- variants_of_similar_stacks
-- purpose: stacks that may be like an issue's: of the same type or place, with one of its functions in them
-- parameters: project_id, variants, functions, near_limit, variant_limit
-- returns: one row per variant: its shape, JSON; functions: texts of a shape, such as '"function":"add"'
-- inputs:  errata_read.variants

with own as (
    select
        groupUniqArray(type) as types,
        groupUniqArray(culprit) as culprits
    from errata_read.variants(projects = [{project_id:UInt32}])
    where variant_hash in {variants:Array(UInt64)}
),

near as (
    select variant_hash
    from errata_read.variants(projects = [{project_id:UInt32}])
    where
        variant_hash not in {variants:Array(UInt64)}
        and (type in (select arrayJoin(types) from own) or culprit in (select arrayJoin(culprits) from own))
    order by culprit in (select arrayJoin(culprits) from own) desc, first_seen_at desc
    limit 1 by variant_hash
),

looked_at as (
    select * from near
    limit {near_limit:UInt16}
)

select
    variant_hash,
    shape
from errata_read.variants(projects = [{project_id:UInt32}])
where
    variant_hash in (select variant_hash from looked_at)
    and arrayExists(name -> position(shape, name) > 0, {functions:Array(String)})
order by arrayCount(name -> position(shape, name) > 0, {functions:Array(String)}) desc, variant_hash
limit {variant_limit:UInt16}
