-- looks_of_issue
-- purpose: what the variants of an issue look like and when each was first seen
-- parameters: project_id
-- names:   is_own
-- returns: one row per variant and ingest node that met it first
-- inputs:  errata_read.variants

select
    variant_hash,
    first_seen_at,
    type::String as type,
    title,
    culprit,
    level::String as level,
    platform::String as platform
from errata_read.variants(projects = [{project_id:UInt32}])
where ${is_own}
