-- variants_assigned
-- purpose: the variants of an issue that has more of them than a parameter holds
-- parameters: issue_id
-- returns: one row per variant: variant_hash
-- inputs:  errata_raw.variant_assignments

select variant_hash
from errata_raw.variant_assignments final
where issue_id = {issue_id:UInt64}
