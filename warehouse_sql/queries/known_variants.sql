-- known_variants
-- purpose: which of these variants are recorded already, with the issue they are mapped to
-- parameters: project_ids, variant_hashes
-- returns: project_id, variant_hash
-- inputs:  errata_raw.variants, errata_raw.variant_issues

select distinct
    project_id,
    variant_hash
from errata_raw.variants
where
    project_id in {project_ids:Array(UInt32)}
    and variant_hash in {variant_hashes:Array(UInt64)}
    -- A node that ended between the two inserts left a variant without an issue: it is recorded again.
    and (project_id, variant_hash) in (
        select
            project_id,
            variant_hash
        from errata_raw.variant_issues
        where
            project_id in {project_ids:Array(UInt32)}
            and variant_hash in {variant_hashes:Array(UInt64)}
    )
