-- purpose: durations and errors of calls over windows that slide by steps: what a budget is evaluated by
-- definition: The chosen statistic of the metric over the calls of each window that match the budget, and how many calls there were.
--   Calls of one user, else of one trace, are worth about one independent sample, estimated from counters of users.
-- parameters: side, level (of the percentile), lower_1, lower_2, lower_3, lower_4, lower_5, lower_6, lower_7, lower_8 (of lower percentiles), method, route (like), environment (empty: all), since, until (whole steps), step_seconds, reach_seconds (from the start of a window's first step to that of its last)
-- returns: one row per step: step_start, sample_count, error_count, value_sum, square_sum, percentiles (at level and the lower ones; empty or nan: no samples), unidentified_count source_squares (the sum over users, else traces, of the squares of their samples, estimated) and largest_count (samples of the one with most, about) of the window that ends with the step

with cells as (
    select
        toStartOfInterval(hour, toIntervalSecond({step_seconds:UInt32})) as step_start,
        call_count as sample_count,
        client_error_count + server_error_count as error_count,
        duration_sum_ms as value_sum,
        duration_square_sum as square_sum,
        unidentified_count,
        source_buckets,
        source_counts,
        durations_ms as values,
        duration_state as value_state
    from errata_mart.endpoint_metrics_hourly
    where
        side = {side:String}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ({method:String} = '' or method = {method:String})
        and ({route:String} = '' or route like {route:String})
        and ({environment:String} = '' or environment = {environment:String})
),

${part:windows_measured}
settings enable_materialized_cte = 1
