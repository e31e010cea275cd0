-- errata_read.issues_put_together
-- purpose: issues as they are by now that no build has put together so: merged, split or regrouped since, or new. Tables are read here,
--   not views of them, as in decisions_since_build
-- parameters: period, since, counted_through, environments (one, or none: all), moved_variants, moved_into,
--   moved_are_merged, issue_ids (something arrived of them), came_counts (in that order: events of the period and environment),
--   came_users (of those), came_firsts, came_lasts (milliseconds, in whatever environment)
-- returns: one row per issue: as issues_with_arrivals
-- inputs:  errata_mart.variant_totals, errata_raw.variants

create or replace view errata_read.issues_put_together
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

counted as (
    select
        issue_id,
        sum(rows.event_count) as event_count,
        uniqMerge(rows.users_state) as user_count,
        min(rows.first_seen) as first_seen,
        max(rows.last_seen) as last_seen
    from (
        select
            came.1 as issue_id,
            came.2 as event_count,
            arrayReduce('uniqState', came.3) as users_state,
            fromUnixTimestamp64Milli(came.4, 'UTC') as first_seen,
            fromUnixTimestamp64Milli(came.5, 'UTC') as last_seen
        from (
            select arrayJoin(arrayZip(
                {issue_ids:Array(UInt64)},
                {came_counts:Array(UInt64)},
                {came_users:Array(Array(UInt64))},
                {came_firsts:Array(Int64)},
                {came_lasts:Array(Int64)}
            )) as came
        )
        union all
        select
            moved.issue_id as issue_id,
            if(period = 'all', 0, totals.event_count) as event_count,
            if(period = 'all', arrayReduce('uniqState', []::Array(UInt64)), totals.users_state) as users_state,
            totals.first_occurred_at as first_seen,
            totals.last_occurred_at as last_seen
        from errata_mart.variant_totals as totals
        inner join moved on totals.variant_hash = moved.variant_hash
        where
            totals.variant_hash in {moved_variants:Array(UInt64)}
            and totals.built_through = {counted_through:DateTime64(3, 'UTC')}
            and (
                period = 'all'
                or (
                    period = {period:String}
                    and totals.since = {since:DateTime('UTC')}
                    and (empty({environments:Array(String)}) or totals.environment in {environments:Array(String)})
                )
            )
    ) as rows
    group by issue_id
    having event_count > 0
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
)

select
    counted.issue_id as issue_id,
    'unresolved' as status,
    '' as assignee,
    '' as chosen_priority,
    looks.level::String as level,
    looks.texts as looks,
    counted.event_count as event_count,
    counted.user_count as user_count,
    least(counted.first_seen, looks.recorded_at) as first_seen,
    counted.last_seen as last_seen,
    toDateTime64(0, 6, 'UTC') as deleted_at
from counted
inner join looks on counted.issue_id = looks.issue_id
