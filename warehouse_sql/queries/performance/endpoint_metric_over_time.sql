-- endpoint_metric_over_time
-- purpose: durations and errors of calls over windows that slide by steps: what a budget is evaluated by
-- definition: The chosen statistic of the metric over the calls of each window that match the budget, and how many calls there were.
--   Calls of one user, else of one trace, are worth about one independent sample, estimated from counters of users.
-- parameters: side, level (of the percentile), lower_1, lower_2, lower_3, lower_4, lower_5, lower_6, lower_7, lower_8 (of lower percentiles), method, route (like), environment (empty: all), since, until (whole steps), step_seconds, reach_seconds (from the start of a window's first step to that of its last)
-- returns: one row per step: step_start, sample_count, error_count, value_sum, square_sum, percentiles (at level and the lower ones; empty or nan: no samples), unidentified_count source_squares (the sum over users, else traces, of the squares of their samples, estimated) and largest_count (samples of the one with most, about) of the window that ends with the step
-- inputs:  errata_mart.endpoint_metrics_hourly

with cells as (
    select
        toStartOfInterval(hour, toIntervalSecond({step_seconds:UInt32})) as step_start,
        call_count,
        client_error_count + server_error_count as error_count,
        duration_sum_ms,
        duration_square_sum,
        unidentified_count,
        source_buckets,
        source_counts,
        durations_ms,
        duration_state
    from errata_mart.endpoint_metrics_hourly
    where
        side = {side:String}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ({method:String} = '' or method = {method:String})
        and ({route:String} = '' or route like {route:String})
        and ({environment:String} = '' or environment = {environment:String})
),

steps as (
    select
        step_start,
        sum(call_count) as step_count,
        sum(error_count) as step_errors,
        sum(duration_sum_ms) as step_sum,
        sum(duration_square_sum) as step_square_sum,
        sum(unidentified_count) as step_unidentified,
        sumResampleArray(0, 256, 1)(source_counts, source_buckets) as step_sources,
        toUInt8(countIf(empty(durations_ms)) > 0) as is_digested,
        if(is_digested or step_count > 2000, [], groupArrayArray(2000)(durations_ms)) as step_values,
        quantileTDigestMergeState(
            if(empty(durations_ms), duration_state, arrayReduce('quantileTDigestState', durations_ms))
        ) as step_state
    from cells
    group by step_start
    -- Windows also end with steps that have no samples.
    order by step_start with fill
        from {since:DateTime('UTC')} to {until:DateTime('UTC')} step {step_seconds:UInt32}
),

${part:window_sizes},

windows as (
    select
        step_start,
        window_count,
        is_window_digested,
        sum(step_errors) over sliding as error_count,
        ${part:window_sums}
    from needed
    window sliding as (
        order by step_start range between {reach_seconds:UInt32} preceding and current row
    )
)

select
    step_start,
    window_count as sample_count,
    error_count,
    round(window_sum, 3) as value_sum,
    window_square_sum as square_sum,
    window_unidentified as unidentified_count,
    arraySum(count -> count * count, window_sources) as source_squares,
    arrayMax(arrayMap(count -> abs(count), window_sources)) as largest_count,
    ${part:window_percentiles}
from windows
order by step_start
settings enable_materialized_cte = 1
