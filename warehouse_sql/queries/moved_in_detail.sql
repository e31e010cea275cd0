-- moved_in_detail
-- purpose: what the list shows of issues that no build has put together yet as they are by now, by their variants
-- parameters: moved_variants, moved_into, moved_are_merged, period, since, hours_since, days_since,
--   counted_through, environments (one, or none: all)
-- returns: one row per issue: what it is, its releases, events by step of the period, of 24 hours, of 30 days
-- inputs:  errata_mart.variant_totals, errata_raw.variants

with moved as (
    select
        moved.1 as variant_hash,
        moved.2 as issue_id,
        moved.3 as is_merged
    from (
        select arrayJoin(arrayZip(
            {moved_variants:Array(UInt64)},
            {moved_into:Array(UInt64)},
            {moved_are_merged:Array(Bool)}
        )) as moved
    )
),

looks as (
    select
        moved.issue_id as issue_id,
        argMin(variants.title, (moved.is_merged, variants.first_seen_at)) as title,
        argMin(variants.culprit, (moved.is_merged, variants.first_seen_at)) as culprit,
        argMin(variants.type, (moved.is_merged, variants.first_seen_at)) as type,
        argMin(variants.platform, (moved.is_merged, variants.first_seen_at)) as platform
    from errata_raw.variants as variants
    inner join moved on variants.variant_hash = moved.variant_hash
    where variants.variant_hash in {moved_variants:Array(UInt64)}
    group by issue_id
),

counted as (
    select
        moved.issue_id as issue_id,
        min(totals.first_occurred_at) as known_first_seen,
        max(totals.last_occurred_at) as known_last_seen,
        argMinIf(totals.first_release, totals.first_occurred_at, period = 'all' and totals.first_release != '') as first_release,
        argMaxIf(totals.last_release, totals.last_occurred_at, period = 'all' and totals.last_release != '') as last_release,
        sumForEachIf(
            bucket_counts,
            is_chosen and period = {period:String} and totals.since = {since:DateTime('UTC')}
        ) as sparkline,
        sumForEachIf(
            bucket_counts,
            is_chosen and period = '24h' and totals.since = {hours_since:DateTime('UTC')}
        ) as hours,
        sumForEachIf(
            bucket_counts,
            is_chosen and period = '30d' and totals.since = {days_since:DateTime('UTC')}
        ) as days
    from (
        select
            *,
            empty({environments:Array(String)}) or environment in {environments:Array(String)} as is_chosen
        from errata_mart.variant_totals
    ) as totals
    inner join moved on totals.variant_hash = moved.variant_hash
    where
        totals.variant_hash in {moved_variants:Array(UInt64)}
        and totals.built_through = {counted_through:DateTime64(3, 'UTC')}
    group by issue_id
)

select
    looks.issue_id as issue_id,
    looks.title as title,
    looks.culprit as culprit,
    looks.type::String as type,
    looks.platform::String as platform,
    counted.known_first_seen as known_first_seen,
    counted.known_last_seen as known_last_seen,
    counted.first_release as first_release,
    counted.last_release as last_release,
    counted.sparkline as sparkline,
    counted.hours as hours,
    counted.days as days
from looks
left join counted on looks.issue_id = counted.issue_id
