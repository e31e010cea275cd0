-- errata_read.issues_put_together
-- purpose: issues as they are by now that no build has put together so: merged, split or regrouped since, or new. Tables are read here,
--   not views of them, as in issue_totals_progress
-- parameters: projects, period, since, counted_through, environments (one, or none: all), moved_variants, moved_into,
--   moved_are_merged
-- returns: one row per issue: as issues_with_arrivals
-- inputs:  errata_mart.variant_totals, errata_raw.variants, errata_raw.error_events

create or replace view errata_read.issues_put_together
definer = errata_admin sql security definer
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

arrived as (
    -- Of copies of an event the one received first counts, unless the totals have it already. Every copy has the
    -- same occurred_at, so that only rows from the earliest on are looked at.
    select
        item_id,
        argMin(variant_hash, received_at) as variant_hash,
        argMin(environment, received_at) as environment,
        argMin(release, received_at) as release,
        argMin(user_hash, received_at) as user_hash,
        any(events.occurred_at) as occurred_at
    from errata_raw.error_events as events
    where
        project_id in {projects:Array(UInt32)}
        and item_id in (
            select item_id
            from errata_raw.error_events
            where
                project_id in {projects:Array(UInt32)}
                and received_at >= {counted_through:DateTime64(3, 'UTC')}
        )
        and events.occurred_at >= (
            -- Of nothing the least moment would be 1970, and everything be read.
            select if(count() = 0, toDateTime64('2299-12-31 00:00:00', 3, 'UTC'), min(occurred_at))
            from errata_raw.error_events
            where
                project_id in {projects:Array(UInt32)}
                and received_at >= {counted_through:DateTime64(3, 'UTC')}
        )
    group by item_id
    having min(received_at) >= {counted_through:DateTime64(3, 'UTC')}
),

counted as (
    select
        issue_id,
        sum(rows.event_count) as event_count,
        uniqMerge(rows.users_state) as user_count,
        min(rows.first_seen) as first_seen,
        max(rows.last_seen) as last_seen,
        groupArrayArray(rows.arrivals) as arrivals
    from (
        select
            moved.issue_id as issue_id,
            empty({environments:Array(String)}) or arrived.environment in {environments:Array(String)} as is_chosen,
            is_chosen and arrived.occurred_at >= {since:DateTime('UTC')} as is_counted,
            toUInt64(is_counted) as event_count,
            arrayReduce(
                'uniqState', if(is_counted and arrived.user_hash != 0, [arrived.user_hash], [])
            ) as users_state,
            arrived.occurred_at as first_seen,
            arrived.occurred_at as last_seen,
            [(arrived.occurred_at, arrived.release::String, is_chosen)] as arrivals
        from arrived
        inner join moved on arrived.variant_hash = moved.variant_hash
        union all
        select
            moved.issue_id as issue_id,
            false as is_chosen,
            period != 'all' as is_counted,
            if(is_counted, totals.event_count, 0) as event_count,
            if(is_counted, totals.users_state, arrayReduce('uniqState', []::Array(UInt64))) as users_state,
            totals.first_occurred_at as first_seen,
            totals.last_occurred_at as last_seen,
            [] as arrivals
        from errata_mart.variant_totals as totals
        inner join moved on totals.variant_hash = moved.variant_hash
        where
            project_id in {projects:Array(UInt32)}
            and totals.variant_hash in {moved_variants:Array(UInt64)}
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
    where
        project_id in {projects:Array(UInt32)}
        and variants.variant_hash in {moved_variants:Array(UInt64)}
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
    toDateTime64(0, 6, 'UTC') as deleted_at,
    counted.arrivals as arrivals
from counted
inner join looks on counted.issue_id = looks.issue_id
