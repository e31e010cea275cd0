-- errata_read.issues_with_arrivals
-- purpose: the issues that something arrived of since their totals were built, with what arrived laid over them. Tables are read here,
--   not views of them, as in decisions_since_build
-- parameters: period, since, built_through, environments (one, or none: all), issue_ids, came_counts (in that order: events
--   of the period and environment), user_counts (0: as of the build), came_firsts, came_lasts (milliseconds, in whatever environment)
-- returns: one row per issue: counts of the period, first and last seen of all time, what it is, what was decided as of the totals
-- inputs:  errata_mart.issue_totals

create or replace view errata_read.issues_with_arrivals
sql security invoker
as
select
    rows.issue_id as issue_id,
    max(rows.status) as status,
    max(rows.assignee) as assignee,
    max(rows.chosen_priority) as chosen_priority,
    max(rows.level) as level,
    groupArrayArray(rows.texts) as looks,
    sum(rows.event_count) as event_count,
    -- Users are never fewer than they were.
    max(rows.user_count) as user_count,
    fromUnixTimestamp64Milli(min(rows.first_seen), 'UTC') as first_seen,
    fromUnixTimestamp64Milli(max(rows.last_seen), 'UTC') as last_seen,
    max(rows.deleted_at) as deleted_at
from (
    select
        issue_id,
        period = 'all' as is_life,
        if(is_life, totals.status::String, '') as status,
        if(is_life, totals.assignee::String, '') as assignee,
        if(is_life, totals.chosen_priority::String, '') as chosen_priority,
        if(is_life, totals.level::String, '') as level,
        if(is_life, totals.texts, []) as texts,
        if(is_life, 0, totals.event_count) as event_count,
        if(is_life, 0, totals.user_count) as user_count,
        toUnixTimestamp64Milli(totals.first_seen) as first_seen,
        toUnixTimestamp64Milli(totals.last_seen) as last_seen,
        totals.deleted_at as deleted_at
    from errata_mart.issue_totals as totals
    where
        built_through = {built_through:DateTime64(3, 'UTC')}
        and issue_id in {issue_ids:Array(UInt64)}
        and (
            (period = 'all' and is_whole)
            or (
                period = {period:String}
                and totals.since = {since:DateTime('UTC')}
                and is_whole = empty({environments:Array(String)})
                and environment = {environments:Array(String)}[1]
            )
        )
    union all
    select
        came.1 as issue_id,
        false as is_life,
        '' as status,
        '' as assignee,
        '' as chosen_priority,
        '' as level,
        [] as texts,
        came.2 as event_count,
        came.3 as user_count,
        came.4 as first_seen,
        came.5 as last_seen,
        toDateTime64(0, 6, 'UTC') as deleted_at
    from (
        select arrayJoin(arrayZip(
            {issue_ids:Array(UInt64)},
            {came_counts:Array(UInt64)},
            {user_counts:Array(UInt64)},
            {came_firsts:Array(Int64)},
            {came_lasts:Array(Int64)}
        )) as came
    )
) as rows
group by issue_id
having event_count > 0
