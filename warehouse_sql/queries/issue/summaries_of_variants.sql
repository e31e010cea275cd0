-- purpose: title, culprit, type and level of variants, and the shape that grouping reads
-- returns: one row per variant: the first one received, if two ingest nodes stored it

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
order by precedence
limit 1 by variant_hash
