-- purpose: calls, outcomes and durations of endpoints in a period, by endpoint or together, as of the last build
-- definition: Calls counts the recorded calls of an endpoint, each once; errors are responses with a 4xx or 5xx status. Percentiles of durations are
--   exact if no hour or day has 1,000 calls, else estimated by t-digest.
-- parameters: since, until (exclusive), days_of_hours (days to count by the hour: those that the period begins or ends within), side (server or page), is_by_endpoint, ${filters_of_days} (empty: all)
-- returns: one row per endpoint: calls, successes, client_errors, server_errors, duration_ms, percentiles (50, 75, 95), example (path)

with counted as (
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
        and day < toDate({until:DateTime('UTC')})
        and day not in {days_of_hours:Array(Date)}
        and ${filters_of_days}
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
    from errata_mart.endpoint_metrics_hourly
    where
        side = {side:String}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and toDate(hour) in {days_of_hours:Array(Date)}
        and ${filters_of_days}
),

endpoints as (
    select
        if({is_by_endpoint:Bool}, host::String, '') as called_host,
        if({is_by_endpoint:Bool}, method::String, '') as called_method,
        if({is_by_endpoint:Bool}, route::String, '') as called_route,
        argMax(path_example, (last_called_at, path_example)) as example,
        sum(call_count) as calls,
        sum(success_count) as successes,
        sum(client_error_count) as client_errors,
        sum(server_error_count) as server_errors,
        -- Durations have three decimals: with rounding, the sum does not depend on the order.
        round(sum(duration_sum_ms), 3) as duration_ms,
        groupArrayArray(durations_ms) as values,
        countIf(empty(durations_ms)) = 0 and length(values) <= 50000 as is_exact,
        quantilesTDigestMergeStateIf(0.5, 0.75, 0.95)(duration_state, empty(durations_ms)) as digests
    from counted
    group by called_host, called_method, called_route
)

select
    * except (values, is_exact, digests),
    if(
        is_exact,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', values),
        arrayMap(
            value -> toFloat64(value),
            -- One digest of many values costs less than one of each day's.
            arrayReduce(
                'quantilesTDigestMerge(0.5, 0.75, 0.95)',
                [digests, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(is_exact, [], values))]
            )
        )
    ) as percentiles
from endpoints
order by calls desc, called_route, called_method, called_host
