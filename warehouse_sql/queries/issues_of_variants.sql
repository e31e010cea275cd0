-- issues_of_variants
-- purpose: the issues that some variants belong to by now, and what each variant looks like
-- parameters: project_id, variants
-- returns: one row per variant that is in an issue
-- inputs:  errata_read.issue_variants

select
    variant_hash,
    issue_id,
    title,
    culprit,
    type,
    level
from errata_read.issue_variants(projects = [{project_id:UInt32}])
where
    variant_hash in {variants:Array(UInt64)}
    and issue_id != 0
