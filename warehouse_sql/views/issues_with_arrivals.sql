-- errata_read.issues_with_arrivals
-- purpose: the issues that something arrived of since their totals were built, with all that is known of them. Tables are read here, not views of them, as in issue_totals_progress
-- parameters: projects, period, since, built_through, counted_through, earliest (moment at which anything since
--   occurred), environments (one, or none: all), issue_ids, joining_variants, joined_issues (of variants that came to them since)
-- returns: one row per issue: counts of the period, first and last seen of all time, what it is, what was decided as of the totals, and
--   arrivals (occurred_at, release, whether of a chosen environment)
-- inputs:  errata_mart.issue_totals, errata_raw.error_events

create or replace view errata_read.issues_with_arrivals
definer = errata_admin sql security definer
as
with members as (
    select
        joining.1 as issue_id,
        joining.2 as variant_hash
    from (
        select arrayJoin(arrayZip({joined_issues:Array(UInt64)}, {joining_variants:Array(UInt64)})) as joining
    )
    union all
    select
        issue_id,
        arrayJoin(variant_hashes) as variant_hash
    from errata_mart.issue_totals
    where
        project_id in {projects:Array(UInt32)}
        and period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
        and issue_id in {issue_ids:Array(UInt64)}
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
        and events.occurred_at >= {earliest:DateTime64(3, 'UTC')}
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
            members.issue_id as issue_id,
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
        inner join members on arrived.variant_hash = members.variant_hash
        union all
        select
            issue_id,
            false as is_chosen,
            false as is_counted,
            event_count,
            users_state,
            first_seen,
            last_seen,
            [] as arrivals
        from errata_mart.issue_totals
        where
            project_id in {projects:Array(UInt32)}
            and period = {period:String}
            and since = {since:DateTime('UTC')}
            and is_whole = empty({environments:Array(String)})
            and environment = {environments:Array(String)}[1]
            and built_through = {built_through:DateTime64(3, 'UTC')}
            and issue_id in {issue_ids:Array(UInt64)}
    ) as rows
    group by issue_id
    having event_count > 0
),

lives as (
    select
        issue_id,
        status,
        assignee,
        chosen_priority,
        level,
        texts,
        first_seen,
        last_seen,
        deleted_at
    from errata_mart.issue_totals
    where
        project_id in {projects:Array(UInt32)}
        and period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
        and issue_id in {issue_ids:Array(UInt64)}
)

select
    counted.issue_id as issue_id,
    lives.status::String as status,
    lives.assignee::String as assignee,
    lives.chosen_priority::String as chosen_priority,
    lives.level::String as level,
    lives.texts as looks,
    counted.event_count as event_count,
    counted.user_count as user_count,
    least(counted.first_seen, lives.first_seen) as first_seen,
    greatest(counted.last_seen, lives.last_seen) as last_seen,
    lives.deleted_at as deleted_at,
    counted.arrivals as arrivals
from counted
inner join lives on counted.issue_id = lives.issue_id
