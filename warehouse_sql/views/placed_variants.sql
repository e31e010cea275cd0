-- errata_read.placed_variants
-- purpose: the issue of each variant as a build placed it, but for what belongs elsewhere by now. Tables are read here, not views of them,
--   as in decisions_since_build
-- parameters: built_through, apart_issue_ids (not as the build put them together any more), moved_variants, moved_into
-- returns: one row per variant: issue_id
-- inputs:  errata_mart.issue_totals

create or replace view errata_read.placed_variants
sql security invoker
as
select
    placed.1 as variant_hash,
    placed.2 as issue_id
from (
    select arrayJoin(arrayZip({moved_variants:Array(UInt64)}, {moved_into:Array(UInt64)})) as placed
)
union all
select
    arrayJoin(variant_hashes) as variant_hash,
    issue_id
from errata_mart.issue_totals
where
    period = 'all'
    and is_whole
    and built_through = {built_through:DateTime64(3, 'UTC')}
    and issue_id not in {apart_issue_ids:Array(UInt64)}
