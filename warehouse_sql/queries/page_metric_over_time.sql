-- page_metric_over_time
-- purpose: one metric of page loads over windows that slide by steps: what a budget is evaluated by
-- parameters: projects, metric, level (of the percentile), page (like), environment, device (empty: all), since, until (whole steps), step_hours, reach_seconds (from the start of a window's first step to that of its last)
-- returns: one row per step: step_start, sample_count, value_sum and percentile of the window that ends with the step (nan: no samples)
-- inputs:  errata_read.page_metrics_hourly

with built as materialized (
    -- A kill inside a swap can leave two versions of a day; the later one holds.
    select
        toDate(hour) as day,
        max(built_through) as built_through
    from errata_read.page_metrics_hourly(projects = {projects:Array(UInt32)})
    where
        metric in ('view', {metric:String})
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
    group by day
),

cells as (
    select
        toStartOfInterval(hour, toIntervalHour({step_hours:UInt16})) as step_start,
        sample_count,
        value_sum,
        values,
        value_state
    from errata_read.page_metrics_hourly(projects = {projects:Array(UInt32)})
    where
        metric = {metric:String}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ({page:String} = '' or page like {page:String})
        and ({environment:String} = '' or environment = {environment:String})
        and ({device:String} = '' or device = {device:String})
        and (toDate(hour), built_through) in (select day, built_through from built)
),

steps as (
    select
        step_start,
        sum(sample_count) as step_count,
        sum(value_sum) as step_sum,
        -- More are merged from digests: windows that slide would sort them again and again.
        toUInt8(countIf(empty(values)) > 0 or sum(length(values)) > 5000) as is_digested,
        if(is_digested, [], groupArrayArray(5001)(values)) as step_values,
        quantileTDigestMergeState(
            if(empty(values), value_state, arrayReduce('quantileTDigestState', values))
        ) as step_state
    from cells
    group by step_start
    union all
    select
        {since:DateTime('UTC')} + toIntervalHour(number * {step_hours:UInt16}) as step_start,
        0 as step_count,
        0 as step_sum,
        toUInt8(0) as is_digested,
        emptyArrayFloat64() as step_values,
        arrayReduce('quantileTDigestState', emptyArrayFloat64()) as step_state
    from numbers(dateDiff('hour', {since:DateTime('UTC')}, {until:DateTime('UTC')}) div {step_hours:UInt16})
)

select
    step_start,
    sum(step_count) over sliding as sample_count,
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
