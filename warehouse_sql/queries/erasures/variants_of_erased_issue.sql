-- purpose: the variants of an issue, and the issues that were merged into it
-- returns: one row per variant: variant_hash, own_issue_id

select
    variant_hash,
    own_issue_id
from errata_raw.variant_assignments final
where
    project_id = {project_id:UInt32}
    and issue_id = {issue_id:UInt64}
order by variant_hash
