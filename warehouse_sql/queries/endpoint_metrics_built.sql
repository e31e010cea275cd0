-- endpoint_metrics_built
-- purpose: calls, outcomes and durations of endpoints in a period of whole days, as of a build, by endpoint or together, with what more calls are added by
-- parameters: since, side (server or page), is_by_endpoint, environment, release (empty: all),
--   reach (how many values on either side of a percentile are told)
-- returns: one row per endpoint: calls, successes, client_errors, server_errors, duration_ms, percentiles (50, 75, 95), is_exact, around (as in page_metrics_built),
--   example, example_at (milliseconds)
-- inputs:  errata_mart.endpoint_metrics_daily

with counted as (
    select
        if({is_by_endpoint:Bool}, host::String, '') as called_host,
        if({is_by_endpoint:Bool}, method::String, '') as called_method,
        if({is_by_endpoint:Bool}, route::String, '') as called_route,
        argMax(path_example, (last_called_at, path_example)) as example,
        toUnixTimestamp64Milli(max(last_called_at)) as example_at,
        sum(call_count) as calls,
        sum(success_count) as successes,
        sum(client_error_count) as client_errors,
        sum(server_error_count) as server_errors,
        -- Durations have three decimals: rounded, the order of adding them does not matter.
        round(sum(duration_sum_ms), 3) as duration_ms,
        countIf(empty(durations_ms)) = 0 and sum(length(durations_ms)) <= 50000 as is_exact,
        if(is_exact, arraySort(groupArrayArray(50000)(durations_ms)), []) as sorted,
        groupArrayArray(durations_ms) as to_digest,
        quantilesTDigestMergeStateIf(0.5, 0.75, 0.95)(duration_state, empty(durations_ms)) as digests
    from errata_mart.endpoint_metrics_daily as daily
    where
        side = {side:String}
        and day >= {since:Date}
        and ({environment:String} = '' or environment = {environment:String})
        and ({release:String} = '' or release = {release:String})
    group by called_host, called_method, called_route
),

digested as (
    select
        *,
        arrayMap(
            level -> toFloat64(level),
            arrayReduce(
                'quantilesTDigestMerge(0., 0.1, 0.25, 0.4, 0.45, 0.48, 0.5, 0.52, 0.55, 0.6, 0.7, 0.73, 0.75, 0.77, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99, 1.)',
                [digests, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(is_exact, [], to_digest))]
            )
        ) as levels
    from counted
)

select
    called_host,
    called_method,
    called_route,
    example,
    example_at,
    calls,
    successes,
    client_errors,
    server_errors,
    duration_ms,
    is_exact,
    if(
        is_exact,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', sorted),
        [levels[7], levels[13], levels[19]]
    ) as percentiles,
    if(
        is_exact,
        arrayMap(
            probability -> arraySlice(
                sorted,
                1 + greatest(0, toInt64(floor((length(sorted) - 1) * probability)) - {reach:UInt32}),
                2 * {reach:UInt32} + 2
            ),
            [0.5, 0.75, 0.95]
        ),
        [levels]
    ) as around
from digested
