-- totals_of_issue
-- purpose: events and users of an issue in standard periods and of all time, by environment, as of the last build
-- parameters: project_id, spans (periods with their starts), arrived_users (period, environment, user: of what came since)
-- names:   is_own
-- returns: one row per period and environment, and one (is_whole) of all environments together: counts of events without
--   what came since, of users with it; events by step, first and last seen, releases; built_through (1970: only users that came since)
-- inputs:  errata_read.variant_totals

select
    period,
    environment,
    grouping(environment) as is_whole,
    sum(totals.event_count) as event_count,
    uniqMerge(users_state) as user_count,
    sumForEach(bucket_counts) as event_counts,
    minIf(first_occurred_at, totals.event_count > 0) as first_seen,
    max(last_occurred_at) as last_seen,
    argMinIf(totals.first_release, first_occurred_at, totals.first_release != '') as first_release,
    argMaxIf(totals.last_release, last_occurred_at, totals.last_release != '') as last_release,
    max(totals.built_through) as built_through,
    minIf(totals.built_through, totals.event_count > 0) as oldest
from (
    select
        period::String as period,
        environment::String as environment,
        event_count,
        users_state,
        bucket_counts,
        first_occurred_at,
        last_occurred_at,
        first_release,
        last_release,
        built_through
    from errata_read.variant_totals(projects = [{project_id:UInt32}])
    where
        (${is_own})
        and (period, since) in {spans:Array(Tuple(String, DateTime('UTC')))}
    union all
    select
        user.1 as period,
        user.2 as environment,
        0 as event_count,
        uniqState(user.3) as users_state,
        [] as bucket_counts,
        toDateTime64(0, 3, 'UTC') as first_occurred_at,
        toDateTime64(0, 3, 'UTC') as last_occurred_at,
        '' as first_release,
        '' as last_release,
        toDateTime64(0, 3, 'UTC') as built_through
    from (select arrayJoin({arrived_users:Array(Tuple(String, String, UInt64))}) as user)
    group by period, environment
) as totals
group by grouping sets ((period, environment), (period))
