-- purpose: calls, outcomes and durations of one endpoint, or of all, in a period and the one before it, or by step, as of the last build
-- definition: Calls counts the recorded calls, each once; errors are responses with a 4xx or 5xx status. Percentiles of durations
--   are exact if no hour or day has 1,000 calls, else estimated by t-digest.
-- parameters: before (start of the period before; the same as since: none), since, until, days_of_hours (days to count by the hour), bucket (period, week, day or hour), ${filters_of_days} (empty: all)
-- names: is_chosen (a condition on calls)
-- returns: one row per side, step and whether it is of the period before: calls, successes, client_errors, server_errors, duration_ms (sum), percentiles (50, 75, 95, 99)

with counted as (
    select
        side,
        toDateTime(day, 'UTC') as begun,
        call_count,
        success_count,
        client_error_count,
        server_error_count,
        duration_sum_ms,
        durations_ms,
        duration_state
    from errata_mart.endpoint_metrics_daily
    where
        day >= toDate({before:DateTime('UTC')})
        and day < toDate({until:DateTime('UTC')})
        and day not in {days_of_hours:Array(Date)}
        and (${is_chosen})
        and ${filters_of_days}
    union all
    select
        side,
        hour as begun,
        call_count,
        success_count,
        client_error_count,
        server_error_count,
        duration_sum_ms,
        durations_ms,
        duration_state
    from errata_mart.endpoint_metrics_hourly
    where
        hour >= {before:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and toDate(hour) in {days_of_hours:Array(Date)}
        and (${is_chosen})
        and ${filters_of_days}
),

steps as (
    select
        side::String as called_side,
        begun < {since:DateTime('UTC')} as is_before,
        multiIf(
            {bucket:String} = 'week', toDateTime(toStartOfWeek(begun, 1), 'UTC'),
            {bucket:String} = 'day', toStartOfDay(begun),
            {bucket:String} = 'hour', begun,
            is_before, {before:DateTime('UTC')},
            {since:DateTime('UTC')}
        ) as bucket_start,
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
    group by called_side, is_before, bucket_start
)

select
    * except (values, is_exact, digests),
    if(
        is_exact,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95, 0.99)', values),
        arrayMap(
            value -> toFloat64(value),
            arrayReduce(
                'quantilesTDigestMerge(0.5, 0.75, 0.95, 0.99)',
                [digests, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(is_exact, [], values))]
            )
        )
    ) as percentiles
from steps
order by called_side, bucket_start
