-- endpoint_metrics
-- purpose: calls, outcomes and durations of endpoints in a period, by endpoint or together: what was built, and what came in since
-- parameters: complete_through (what was received before it is in the mart: skips raw rows), since, split_days (days that the period begins within), side (server or page), is_by_endpoint, environment, release (empty: all)
-- returns: one row per endpoint: call_count, its outcomes, duration_sum_ms, percentiles (50, 75, 95), path_example
-- inputs:  errata_mart.endpoint_metrics_daily, errata_raw.requests

with raw as (
    select *
    from errata_raw.requests
    where
        side = {side:String}
        and received_at >= {since:DateTime('UTC')} - toIntervalDay(2)
),

built as materialized (
    select
        day,
        max(built_through) as built_through
    from errata_mart.endpoint_metrics_daily
    where
        day >= toDate({since:DateTime('UTC')})
        and day not in {split_days:Array(Date)}
    group by day
),

arrived as materialized (
    -- Calls that no built row can hold, but as a repeat.
    select
        raw.project_id as project_id,
        raw.item_id as item_id,
        toDate(raw.occurred_at) as day,
        raw.side as side,
        raw.host as host,
        raw.method as method,
        raw.route as route,
        raw.environment as environment,
        raw.release as release,
        raw.status_code as status_code,
        raw.duration_ms as duration_ms,
        raw.path as path,
        raw.occurred_at as occurred_at,
        raw.received_at as received_at
    from raw
    left join built on toDate(raw.occurred_at) = built.day
    where
        raw.occurred_at >= {since:DateTime('UTC')}
        -- Only skips what is in the mart for sure; the next line decides.
        and (
            raw.received_at >= {complete_through:DateTime64(3, 'UTC')}
            or toDate(raw.occurred_at) in {split_days:Array(Date)}
        )
        and raw.received_at >= built.built_through
        and ({environment:String} = '' or raw.environment = {environment:String})
        and ({release:String} = '' or raw.release = {release:String})
    order by received_at, occurred_at
    limit 1 by project_id, day, item_id
),

known as (
    select
        raw.project_id as project_id,
        toDate(raw.occurred_at) as day,
        raw.item_id as item_id
    from raw
    inner join built on toDate(raw.occurred_at) = built.day
    where
        raw.occurred_at >= (select toStartOfDay(min(occurred_at)) from arrived)
        and raw.received_at < built.built_through
        -- Copies of one day are the same: only the days of what arrived are looked through.
        and (raw.project_id, toDate(raw.occurred_at), raw.item_id) in (
            select
                project_id,
                day,
                item_id
            from arrived
        )
),

calls as (
    select *
    from arrived
    where (project_id, day, item_id) not in (select project_id, day, item_id from known)
),

cells as (
    select
        project_id,
        day,
        side,
        host,
        method,
        route,
        environment,
        release,
        arraySort(groupArray(duration_ms)) as sorted,
        length(sorted) as call_count,
        countIf(status_code between 100 and 399) as success_count,
        countIf(status_code between 400 and 499) as client_error_count,
        countIf(status_code between 500 and 599) as server_error_count,
        arraySum(sorted) as duration_sum_ms,
        if(call_count < 1000, sorted, []) as durations_ms,
        -- Fed in ascending order by one thread: the same calls always give the same state.
        arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(call_count < 1000, [], sorted)) as duration_state,
        argMax(path, (occurred_at, item_id)) as path_example,
        max(occurred_at) as last_called_at
    from calls
    group by project_id, day, side, host, method, route, environment, release
),

counted as (
    select
        host,
        method,
        route,
        call_count,
        success_count,
        client_error_count,
        server_error_count,
        duration_sum_ms,
        durations_ms,
        duration_state,
        path_example,
        last_called_at
    from errata_mart.endpoint_metrics_daily
    where
        side = {side:String}
        and day >= toDate({since:DateTime('UTC')})
        and day not in {split_days:Array(Date)}
        and ({environment:String} = '' or environment = {environment:String})
        and ({release:String} = '' or release = {release:String})
    union all
    select
        host,
        method,
        route,
        call_count,
        success_count,
        client_error_count,
        server_error_count,
        duration_sum_ms,
        durations_ms,
        duration_state,
        path_example,
        last_called_at
    from cells
)

select
    if({is_by_endpoint:Bool}, host, '') as called_host,
    if({is_by_endpoint:Bool}, method, '') as called_method,
    if({is_by_endpoint:Bool}, route, '') as called_route,
    argMax(path_example, (counted.last_called_at, path_example)) as example,
    sum(counted.call_count) as calls,
    sum(counted.success_count) as successes,
    sum(counted.client_error_count) as client_errors,
    sum(counted.server_error_count) as server_errors,
    -- Durations have three decimals: rounded, the order of adding them does not matter.
    round(sum(counted.duration_sum_ms), 3) as duration_ms,
    if(
        countIf(empty(durations_ms)) = 0 and sum(length(durations_ms)) <= 50000,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(durations_ms)),
        arrayMap(
            value -> toFloat64(value),
            quantilesTDigestMerge(0.5, 0.75, 0.95)(
                if(
                    empty(durations_ms),
                    duration_state,
                    arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', durations_ms)
                )
            )
        )
    ) as percentiles
from counted
group by called_host, called_method, called_route
order by calls desc, called_route, called_method, called_host
settings enable_materialized_cte = 1, max_bytes_before_external_group_by = 150000000
