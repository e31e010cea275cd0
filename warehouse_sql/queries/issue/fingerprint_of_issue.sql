-- purpose: a cheap look at which variants an issue has by now: another answer after each assignment of one of them
-- parameters: issue_id (a whole issue)
-- returns: one row: fingerprint

select groupBitXor(cityHash64(variant_hash, assigned_at, version)) as fingerprint
from errata_raw.variant_assignments final
where issue_id = {issue_id:UInt64}
