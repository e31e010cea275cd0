-- errata_read.issues_now
-- purpose: what issues are by now, whatever they count: as a build put them together, with what arrived and moved since. Tables are read
--   here, not views of them, as in decisions_since_build
-- parameters: built_through, counted_through, apart_issue_ids (not as the build put them together any more), moved_variants,
--   moved_into, moved_are_merged, issue_ids (something arrived of them), came_firsts, came_lasts (milliseconds, in that order; none empty)
-- returns: one row per issue: state as of the build, looks (of its variants), first and last seen of all time
-- inputs:  errata_mart.issue_totals, errata_mart.variant_totals, errata_raw.variants

create or replace view errata_read.issues_now
sql security invoker
as
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

lives as (
    select
        moved.issue_id as issue_id,
        min(totals.first_occurred_at) as first_seen,
        max(totals.last_occurred_at) as last_seen
    from errata_mart.variant_totals as totals
    inner join moved on totals.variant_hash = moved.variant_hash
    where
        period = 'all'
        and totals.variant_hash in {moved_variants:Array(UInt64)}
        and totals.built_through = {counted_through:DateTime64(3, 'UTC')}
    group by issue_id
),

looks as (
    select
        moved.issue_id as issue_id,
        argMin(variants.level, (moved.is_merged, variants.first_seen_at)) as level,
        groupUniqArray((variants.title, variants.culprit, variants.type::String)) as texts,
        min(variants.first_seen_at) as recorded_at
    from errata_raw.variants as variants
    inner join moved on variants.variant_hash = moved.variant_hash
    where variants.variant_hash in {moved_variants:Array(UInt64)}
    group by issue_id
),

known as (
    select
        issue_id,
        status::String as status,
        assignee::String as assignee,
        chosen_priority::String as chosen_priority,
        level::String as level,
        texts,
        first_seen,
        last_seen,
        deleted_at
    from errata_mart.issue_totals
    where
        period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
        and issue_id not in {apart_issue_ids:Array(UInt64)}
    union all
    select
        looks.issue_id as issue_id,
        'unresolved' as status,
        '' as assignee,
        '' as chosen_priority,
        looks.level::String as level,
        looks.texts as texts,
        if(lives.issue_id = 0, looks.recorded_at, least(looks.recorded_at, lives.first_seen)) as first_seen,
        lives.last_seen as last_seen,
        toDateTime64(0, 6, 'UTC') as deleted_at
    from looks
    left join lives on looks.issue_id = lives.issue_id
    where looks.issue_id not in (
        -- What came to an issue that the build has as it is.
        select issue_id
        from errata_mart.issue_totals
        where
            period = 'all'
            and is_whole
            and built_through = {built_through:DateTime64(3, 'UTC')}
            and issue_id not in {apart_issue_ids:Array(UInt64)}
    )
)

select
    known.issue_id as issue_id,
    known.status as status,
    known.assignee as assignee,
    known.chosen_priority as chosen_priority,
    known.level as level,
    known.texts as looks,
    fromUnixTimestamp64Milli(least(
        toUnixTimestamp64Milli(known.first_seen),
        -- An issue that nothing arrived of keeps its own moments.
        transform(known.issue_id, {issue_ids:Array(UInt64)}, {came_firsts:Array(Int64)}, toInt64(9000000000000))
    ), 'UTC') as first_seen,
    fromUnixTimestamp64Milli(greatest(
        toUnixTimestamp64Milli(known.last_seen),
        transform(known.issue_id, {issue_ids:Array(UInt64)}, {came_lasts:Array(Int64)}, toInt64(0))
    ), 'UTC') as last_seen,
    known.deleted_at as deleted_at
from known
