-- purpose: variants assigned since the totals of issues were built, and all variants of issues from which one was taken or in which one was deleted
-- parameters: assigned_since (when the totals of issues were built), variants_through (a variant recorded since
--   then has no events in totals: they come after it, and an erasure records others again)
-- returns: one row per variant: variant_hash, issue_id, cut_at, recorded_at (2299: something of it was deleted), is_joining (the row of its issue in
--   the totals is still right but lacks it; false: the issue is read by its variants); and one without a variant for each issue that totals have and that nothing belongs to any more

with reassigned as (
    select
        variant_hash,
        issue_id,
        cut_at,
        first_seen_at
    from errata_raw.variant_assignments final
    where
        assigned_at >= {assigned_since:DateTime64(3, 'UTC')}
        and variant_hash in (
            select variant_hash
            from errata_raw.variants
            where least(recorded_at, first_seen_at) < {variants_through:DateTime64(3, 'UTC')}
        )
),

broken as (
    select issue_id
    from errata_mart.issue_totals
    where
        period = 'all'
        and is_whole
        and hasAny(variant_hashes, (select groupArray(variant_hash) from reassigned))
)

select
    assigned.variant_hash as variant_hash,
    broken.issue_id as issue_id,
    assigned.cut_at as cut_at,
    if(
        assigned.cut_at = toDateTime64(0, 6, 'UTC'),
        assigned.first_seen_at,
        toDateTime64('2299-12-31 00:00:00', 3, 'UTC')
    ) as recorded_at,
    false as is_joining
from broken
left join errata_raw.variant_assignments as assigned final on broken.issue_id = assigned.issue_id
union all
select
    variant_hash,
    issue_id,
    cut_at,
    if(
        cut_at = toDateTime64(0, 6, 'UTC'),
        reassigned.first_seen_at,
        toDateTime64('2299-12-31 00:00:00', 3, 'UTC')
    ) as recorded_at,
    true as is_joining
from reassigned
where issue_id not in (select issue_id from broken)
