-- issues_with_arrivals
-- purpose: the issues that something arrived of since their totals were built, with all that is known of them by now
-- parameters: project_id, period, since, built_through, counted_through, environments (one, or none: all)
-- returns: one row per issue: counts of the period, first and last seen of all time, status and deletion (microseconds)
--   as of the totals, and arrivals (occurred_at, release, variant_hash, whether of a chosen environment)
-- inputs:  errata_read.issue_totals, errata_read.error_events, errata_read.issue_variants

with arrived as (
    -- Of copies of an event the one received first counts, unless the totals have it already. Every copy has the
    -- same occurred_at, so that only rows from the earliest on are looked at.
    select
        item_id,
        argMin(variant_hash, received_at) as variant_hash,
        argMin(environment, received_at) as environment,
        argMin(release, received_at) as release,
        argMin(user_hash, received_at) as user_hash,
        any(events.occurred_at) as occurred_at
    from errata_read.error_events(projects = [{project_id:UInt32}]) as events
    where
        item_id in (
            select item_id
            from errata_read.error_events(projects = [{project_id:UInt32}])
            where received_at >= {counted_through:DateTime64(3, 'UTC')}
        )
        and events.occurred_at >= (
            -- Of nothing the least moment would be 1970, and everything be read.
            select if(count() = 0, toDateTime64('2299-12-31 00:00:00', 3, 'UTC'), min(occurred_at))
            from errata_read.error_events(projects = [{project_id:UInt32}])
            where received_at >= {counted_through:DateTime64(3, 'UTC')}
        )
    group by item_id
    having min(received_at) >= {counted_through:DateTime64(3, 'UTC')}
),

placed as (
    select
        variants.issue_id as issue_id,
        variants.first_seen_at as first_seen_at,
        variants.level as level,
        arrived.variant_hash as variant_hash,
        arrived.release as release,
        arrived.user_hash as user_hash,
        arrived.occurred_at as occurred_at,
        empty({environments:Array(String)}) or arrived.environment in {environments:Array(String)} as is_chosen,
        is_chosen and arrived.occurred_at >= {since:DateTime('UTC')} as is_counted
    from arrived
    inner join errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants
        on arrived.variant_hash = variants.variant_hash
    where
        variants.variant_hash in (
            select variant_hash
            from errata_read.error_events(projects = [{project_id:UInt32}])
            where received_at >= {counted_through:DateTime64(3, 'UTC')}
        )
),

edge as materialized (
    select
        issue_id,
        any(placed.level) as level,
        countIf(is_counted) as event_count,
        uniqStateIf(user_hash, is_counted and user_hash != 0) as users_state,
        min(least(occurred_at, first_seen_at)) as first_seen,
        max(occurred_at) as last_seen,
        groupArray((occurred_at, release::String, variant_hash, is_chosen)) as arrivals
    from placed
    group by issue_id
),

lives as (
    -- Of issues that something arrived of: they may have had nothing in the period before.
    select
        issue_id,
        status,
        level,
        first_seen,
        last_seen,
        deleted_at
    from errata_read.issue_totals(projects = [{project_id:UInt32}])
    where
        period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
        and issue_id in (select issue_id from edge)
),

totals as (
    select
        issue_id,
        event_count,
        users_state
    from errata_read.issue_totals(projects = [{project_id:UInt32}])
    where
        period = {period:String}
        and since = {since:DateTime('UTC')}
        and is_whole = empty({environments:Array(String)})
        and environment = {environments:Array(String)}[1]
        and built_through = {built_through:DateTime64(3, 'UTC')}
        and issue_id in (select issue_id from edge)
),

users as (
    select
        issue_id,
        uniqMerge(known.users_state) as user_count
    from (
        select issue_id, users_state from totals
        union all
        select issue_id, users_state from edge
    ) as known
    group by issue_id
)

select
    edge.issue_id as issue_id,
    if(lives.issue_id = 0, 'unresolved', lives.status::String) as status,
    if(lives.issue_id = 0, edge.level, lives.level)::String as level,
    edge.event_count + totals.event_count as event_count,
    users.user_count as user_count,
    if(lives.issue_id = 0, edge.first_seen, least(edge.first_seen, lives.first_seen)) as first_seen,
    greatest(edge.last_seen, lives.last_seen) as last_seen,
    toUnixTimestamp64Micro(lives.deleted_at) as deleted_at,
    edge.arrivals as arrivals
from edge
left join lives on edge.issue_id = lives.issue_id
left join totals on edge.issue_id = totals.issue_id
inner join users on edge.issue_id = users.issue_id
settings enable_materialized_cte = 1
