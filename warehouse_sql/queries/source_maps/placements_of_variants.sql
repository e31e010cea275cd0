-- purpose: where some variants are, what they look like and how often they occurred: what grouping by original frames starts from
-- returns: one row per variant: issue_id, own_issue_id, is_placed, first_seen_at, event_count (as of the last build), title,
--   level, platform, recorded_shape (before any look through source maps)

with recorded as (
    select
        variant_hash,
        argMin(variants.level, variants.first_seen_at)::String as level,
        argMin(variants.platform, variants.first_seen_at)::String as platform,
        argMin(variants.title, variants.precedence) as title,
        argMinIf(variants.shape, variants.first_seen_at, variants.mapped_at = toDateTime64(0, 3, 'UTC')) as recorded_shape
    from errata_raw.variants as variants
    where variant_hash in {variants:Array(UInt64)}
    group by variant_hash
),

totals as (
    select
        variant_hash,
        sum(totals.event_count) as event_count
    from errata_mart.variant_totals as totals
    where
        variant_hash in {variants:Array(UInt64)}
        and period = 'all'
        and built_through = (
            select max(built_through)
            from errata_mart.variant_totals
        )
    group by variant_hash
)

select
    placed.variant_hash as variant_hash,
    placed.issue_id as issue_id,
    placed.own_issue_id as own_issue_id,
    placed.is_placed as is_placed,
    placed.first_seen_at as first_seen_at,
    totals.event_count as event_count,
    recorded.title as title,
    recorded.level as level,
    recorded.platform as platform,
    recorded.recorded_shape as recorded_shape
from errata_read.assignments_by_log(
    projects = {projects:Array(UInt32)}, is_chosen = true, variants = {variants:Array(UInt64)}, issues = []
) as placed
inner join recorded on placed.variant_hash = recorded.variant_hash
left join totals on placed.variant_hash = totals.variant_hash
