-- endpoint_metric_over_time
-- purpose: durations and errors of calls over windows that slide by steps: what a budget is evaluated by
-- definition: The chosen statistic of the metric over the calls of each window that match the budget, and how many calls there were.
-- parameters: side, level (of the percentile), method, route (like), environment (empty: all), since, until (whole steps), step_seconds, reach_seconds (from the start of a window's first step to that of its last)
-- returns: one row per step: step_start, sample_count, error_count, value_sum and percentile of the window that ends with the step (nan: no samples)
-- inputs:  errata_mart.endpoint_metrics_hourly

with cells as (
    select
        toStartOfInterval(hour, toIntervalSecond({step_seconds:UInt32})) as step_start,
        call_count,
        client_error_count + server_error_count as error_count,
        duration_sum_ms,
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

totals as (
    select
        *,
        sum(step_count) over sliding as window_count,
        max(is_digested) over sliding as is_window_digested
    from steps
    window sliding as (
        order by step_start range between {reach_seconds:UInt32} preceding and current row
    )
),

needed as (
    -- Values of large windows aren't sorted again for each step.
    select
        *,
        min(window_count) over following as smallest_window
    from totals
    window following as (
        order by step_start range between current row and {reach_seconds:UInt32} following
    )
)

select
    step_start,
    window_count as sample_count,
    sum(step_errors) over sliding as error_count,
    round(sum(step_sum) over sliding, 3) as value_sum,
    if(
        window_count > 2000 or is_window_digested,
        toFloat64(quantileTDigestMerge({level:Float64})(step_state) over sliding),
        quantileExactInclusiveArray({level:Float64})(
            if(smallest_window > 2000, emptyArrayFloat64(), step_values)
        ) over sliding
    ) as percentile
from needed
window sliding as (
    order by step_start range between {reach_seconds:UInt32} preceding and current row
)
order by step_start
settings enable_materialized_cte = 1
