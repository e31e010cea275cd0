-- endpoints_of_days
-- purpose: the calls that servers answered on whole days, as of the last build: for reports of days that are over
-- parameters: since, until (exclusive), ${filters_of_days} (empty: all)
-- returns: one row per endpoint, the most called first: calls, its outcomes, duration_ms (sum), percentiles (50, 75, 95), example
-- inputs:  errata_mart.endpoint_metrics_daily

select
    host as called_host,
    method as called_method,
    route as called_route,
    argMax(path_example, (last_called_at, path_example)) as example,
    sum(call_count) as calls,
    sum(success_count) as successes,
    sum(client_error_count) as client_errors,
    sum(server_error_count) as server_errors,
    round(sum(duration_sum_ms), 3) as duration_ms,
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
from errata_mart.endpoint_metrics_daily
where
    side = 'server'
    and day >= {since:Date}
    and day < {until:Date}
    and ${filters_of_days}
group by called_host, called_method, called_route
order by calls desc, called_route, called_method, called_host
settings max_bytes_before_external_group_by = 150000000
