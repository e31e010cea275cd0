-- looks_of_listed_variants
-- purpose: what some variants look like, and what grouping reads of them
-- parameters: variants
-- returns: one row per variant: of two ingest nodes the one that met it first
-- inputs:  errata_raw.variants

select
    variant_hash,
    first_seen_at,
    type::String as type,
    title,
    culprit,
    level::String as level,
    shape,
    exemplar_id
from errata_raw.variants
where variant_hash in {variants:Array(UInt64)}
order by first_seen_at
limit 1 by variant_hash
