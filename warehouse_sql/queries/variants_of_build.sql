-- variants_of_build
-- purpose: which issue a build put each variant into
-- parameters: built_through
-- returns: one row per variant, in the order of their hashes: issue_id
-- inputs:  errata_mart.issue_totals

select
    arrayJoin(variant_hashes) as variant_hash,
    issue_id
from errata_mart.issue_totals
where
    period = 'all'
    and is_whole
    and built_through = {built_through:DateTime64(3, 'UTC')}
order by variant_hash
