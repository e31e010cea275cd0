-- looks_of_issue
-- purpose: what the variants of an issue look like and when each was first seen
-- names:   is_own
-- returns: one row per variant and ingest node that met it first
-- inputs:  errata_raw.variants

select
    variant_hash,
    first_seen_at,
    type::String as type,
    title,
    culprit,
    level::String as level,
    platform::String as platform
from errata_raw.variants
where ${is_own}
