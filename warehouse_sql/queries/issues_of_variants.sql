-- purpose: the issues that some variants belong to by now
-- returns: one row per variant that is in an issue: issue_id is its own, or the one that was merged into (is_merged)

select
    variant_hash,
    issue_id,
    is_merged
from errata_raw.variant_assignments final
where
    variant_hash in {variants:Array(UInt64)}
    and issue_id != 0
