-- purpose: which of these variants are in an issue already: recorded, mapped, and their issue written
-- returns: project_id, variant_hash

select distinct
    project_id,
    variant_hash
from errata_raw.variant_assignments
where
    project_id in {projects:Array(UInt32)}
    and variant_hash in {variant_hashes:Array(UInt64)}
