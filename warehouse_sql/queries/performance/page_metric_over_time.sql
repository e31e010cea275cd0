-- page_metric_over_time
-- purpose: one metric of page loads over windows that slide by steps: what a budget is evaluated by
-- definition: The chosen statistic of the metric over the page loads of each window that match the budget, and how many page loads measured it.
--   A load that had not ended when it was reported counts with the time until which it is known to have lasted.
-- parameters: metric, level (of the percentile), page (like), environment, device (empty: all), since, until (whole steps), step_seconds, reach_seconds (from the start of a window's first step to that of its last)
-- returns: one row per step: step_start, sample_count, value_sum and percentile of the window that ends with the step (nan: no samples)
-- inputs:  errata_mart.page_metrics_hourly

with cells as (
    select
        toStartOfInterval(hour, toIntervalSecond({step_seconds:UInt32})) as step_start,
        sample_count,
        value_sum,
        values,
        value_state
    from errata_mart.page_metrics_hourly
    where
        metric = {metric:String}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ({page:String} = '' or page like {page:String})
        and ({environment:String} = '' or environment = {environment:String})
        and ({device:String} = '' or device = {device:String})
),

steps as (
    select
        step_start,
        sum(sample_count) as step_count,
        sum(value_sum) as step_sum,
        toUInt8(countIf(empty(values)) > 0) as is_digested,
        if(is_digested or step_count > 2000, [], groupArrayArray(2000)(values)) as step_values,
        quantileTDigestMergeState(
            if(empty(values), value_state, arrayReduce('quantileTDigestState', values))
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
