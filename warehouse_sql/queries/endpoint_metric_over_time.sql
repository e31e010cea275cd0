-- endpoint_metric_over_time
-- purpose: durations and errors of calls over windows that slide by steps: what a budget is evaluated by
-- parameters: projects, side, level (of the percentile), method, route (like), environment (empty: all), since, until (whole steps), step_hours, reach_seconds (from the start of a window's first step to that of its last)
-- returns: one row per step: step_start, sample_count, error_count, value_sum and percentile of the window that ends with the step (nan: no samples)
-- inputs:  errata_read.endpoint_metrics_hourly

with built as materialized (
    -- A kill inside a swap can leave two versions of a day; the later one holds.
    select
        toDate(hour) as day,
        max(built_through) as built_through
    from errata_read.endpoint_metrics_hourly(projects = {projects:Array(UInt32)})
    where
        hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
    group by day
),

cells as (
    select
        toStartOfInterval(hour, toIntervalHour({step_hours:UInt16})) as step_start,
        call_count,
        error_count,
        duration_sum_ms,
        durations_ms,
        duration_state
    from errata_read.endpoint_metrics_hourly(projects = {projects:Array(UInt32)})
    where
        side = {side:String}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ({method:String} = '' or method = {method:String})
        and ({route:String} = '' or route like {route:String})
        and ({environment:String} = '' or environment = {environment:String})
        and (toDate(hour), built_through) in (select day, built_through from built)
),

steps as (
    select
        step_start,
        sum(call_count) as step_count,
        sum(error_count) as step_errors,
        sum(duration_sum_ms) as step_sum,
        -- More are merged from digests: windows that slide would sort them again and again.
        toUInt8(countIf(empty(durations_ms)) > 0 or sum(length(durations_ms)) > 5000) as is_digested,
        if(is_digested, [], groupArrayArray(5001)(durations_ms)) as step_values,
        quantileTDigestMergeState(
            if(empty(durations_ms), duration_state, arrayReduce('quantileTDigestState', durations_ms))
        ) as step_state
    from cells
    group by step_start
    union all
    select
        {since:DateTime('UTC')} + toIntervalHour(number * {step_hours:UInt16}) as step_start,
        0 as step_count,
        0 as step_errors,
        0 as step_sum,
        toUInt8(0) as is_digested,
        emptyArrayFloat64() as step_values,
        arrayReduce('quantileTDigestState', emptyArrayFloat64()) as step_state
    from numbers(dateDiff('hour', {since:DateTime('UTC')}, {until:DateTime('UTC')}) div {step_hours:UInt16})
)

select
    step_start,
    sum(step_count) over sliding as sample_count,
    sum(step_errors) over sliding as error_count,
    round(sum(step_sum) over sliding, 3) as value_sum,
    if(
        max(is_digested) over sliding = 1,
        toFloat64(quantileTDigestMerge({level:Float64})(step_state) over sliding),
        quantileExactInclusiveArray({level:Float64})(step_values) over sliding
    ) as percentile
from steps
window sliding as (
    order by step_start range between {reach_seconds:UInt32} preceding and current row
)
order by step_start
limit 1 by step_start
settings enable_materialized_cte = 1
