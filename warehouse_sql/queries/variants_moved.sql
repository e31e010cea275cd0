-- variants_moved
-- purpose: what belongs by now to the issues that were put together otherwise since the totals were built, and where variants belong
--   that came since
-- parameters: built_through, unplaced
-- returns: one row per variant: issue_id, was_issue_id (0: unknown to the totals), is_joining (it came to an issue that the totals have as it was),
--   is_merged
-- inputs:  errata_mart.issue_totals, errata_read.assignments_by_log

with known as (
    select
        issue_id,
        arrayJoin(variant_hashes) as variant_hash
    from errata_mart.issue_totals
    where
        period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
),

placed as materialized (
    select
        variants.variant_hash as variant_hash,
        variants.issue_id as issue_id,
        variants.is_merged as is_merged,
        known.issue_id as was_issue_id
    -- The answer is remembered by the length of the logs: it must not be of before they were written through.
    from errata_read.assignments_by_log(
        projects = [], is_chosen = false, variants = [], issues = []
    ) as variants
    left join known on variants.variant_hash = known.variant_hash
),

moved as (
    select arrayJoin([issue_id, was_issue_id]) as moved_id
    from placed
    where was_issue_id not in (0, issue_id)
)

select
    variant_hash,
    issue_id,
    was_issue_id,
    was_issue_id = 0
    and issue_id in (select issue_id from known)
    and issue_id not in (select moved_id from moved) as is_joining,
    is_merged
from placed
where
    issue_id in (select moved_id from moved)
    or variant_hash in {unplaced:Array(UInt64)}
settings enable_materialized_cte = 1
