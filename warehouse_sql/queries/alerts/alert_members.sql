-- purpose: the issues of some variants, and all that belongs to these issues
-- parameters: is_whole (every issue), variant_hashes
-- returns: one row per variant of such an issue: variant_hash, issue_id, first_seen_at

with variants as materialized (
    select
        variant_hash,
        issue_id,
        first_seen_at
    from errata_read.issue_variants
)

select
    variant_hash,
    issue_id,
    first_seen_at
from variants
where
    {is_whole:Bool}
    or issue_id in (select issue_id from variants where variant_hash in {variant_hashes:Array(UInt64)})
settings enable_materialized_cte = 1
