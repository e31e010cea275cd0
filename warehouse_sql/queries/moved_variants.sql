-- moved_variants
-- purpose: the variants of issues that totals have otherwise than they are put together by now, or do not know
-- parameters: assigned_since (when the totals of issues were built)
-- returns: one row per variant: variant_hash, issue_id, cut_at, recorded_at (2299: something of it was deleted), and one without a variant
--   for each issue that totals have and that nothing belongs to any more
-- inputs:  errata_raw.variant_assignments, errata_mart.issue_totals

with reassigned as (
    select
        variant_hash,
        issue_id
    from errata_raw.variant_assignments final
    where assigned_at >= {assigned_since:DateTime64(3, 'UTC')}
),

moved as (
    select issue_id
    from reassigned
    union distinct
    select issue_id
    from errata_mart.issue_totals
    where
        period = 'all'
        and is_whole
        and hasAny(variant_hashes, (select groupArray(variant_hash) from reassigned))
)

select
    assigned.variant_hash as variant_hash,
    moved.issue_id as issue_id,
    assigned.cut_at as cut_at,
    if(
        assigned.cut_at = toDateTime64(0, 6, 'UTC'),
        assigned.first_seen_at,
        toDateTime64('2299-12-31 00:00:00', 3, 'UTC')
    ) as recorded_at
from moved
left join errata_raw.variant_assignments as assigned final on moved.issue_id = assigned.issue_id
