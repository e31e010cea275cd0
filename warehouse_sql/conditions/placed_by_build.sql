-- placed_by_build
-- purpose: the variants of issues as a build put them together; with the parameters of the question
-- parameters: none
-- names: none
select
    arrayJoin(variant_hashes) as variant_hash,
    issue_id
from errata_mart.issue_totals
where
    period = 'all'
    and is_whole
    and built_through = {built_through:DateTime64(3, 'UTC')}
    and issue_id in {issue_ids:Array(UInt64)}
