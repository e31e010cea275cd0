-- purpose: the variants of an issue that has more of them than a parameter holds
-- returns: one row per variant: variant_hash

select variant_hash
from errata_raw.variant_assignments final
where issue_id = {issue_id:UInt64}
