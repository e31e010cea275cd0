-- purpose: from hours of one metric (`cells`) to what windows that slide by steps measured: percentiles exact up to 2,000 samples, else by t-digest
-- parameters: since, until, step_seconds, reach_seconds (from the start of a window's first step to that of its last), level, lower_1, lower_2, lower_3, lower_4, lower_5, lower_6, lower_7, lower_8
-- returns: one row per step: sample_count, error_count, sums and percentiles of the window that ends with it; the statement needs enable_materialized_cte
steps as (
    select
        step_start,
        sum(sample_count) as step_count,
        sum(error_count) as step_errors,
        sum(value_sum) as step_sum,
        sum(square_sum) as step_square_sum,
        sum(unidentified_count) as step_unidentified,
        sumResampleArray(0, 256, 1)(source_counts, source_buckets) as step_sources,
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
    -- Values of large windows aren't sorted again for each step, nor digests of small ones merged.
    select
        *,
        min(window_count) over following as smallest_window,
        max(window_count) over following as largest_window,
        max(is_window_digested) over following as is_digest_needed
    from totals
    window following as (
        order by step_start range between current row and {reach_seconds:UInt32} following
    )
),

windows as (
    select
        step_start,
        window_count,
        is_window_digested,
        sum(step_errors) over sliding as error_count,
        sum(step_sum) over sliding as window_sum,
        sum(step_square_sum) over sliding as window_square_sum,
        sum(step_unidentified) over sliding as window_unidentified,
        sumForEach(step_sources) over sliding as window_sources,
        arraySort(
            groupArrayArray(2000)(if(smallest_window > 2000, emptyArrayFloat64(), step_values)) over sliding
        ) as window_values,
        quantilesTDigestMerge(
            {level:Float64}, {lower_1:Float64}, {lower_2:Float64}, {lower_3:Float64}, {lower_4:Float64}, {lower_5:Float64}, {lower_6:Float64}, {lower_7:Float64}, {lower_8:Float64}
        )(
            if(
                largest_window > 2000 or is_digest_needed,
                step_state,
                arrayReduce('quantileTDigestState', emptyArrayFloat64())
            )
        ) over sliding as digest_percentiles
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
    if(
        window_count > 2000 or is_window_digested,
        arrayMap(value -> toFloat64(value), digest_percentiles),
        -- Linear between the two samples nearest to each rank.
        arrayMap(
            rank -> window_values[toUInt32(floor(rank)) + 1]
            + (rank - floor(rank))
            * (window_values[least(toUInt32(floor(rank)) + 2, window_count)] - window_values[toUInt32(floor(rank)) + 1]),
            arrayMap(
                share -> share * (window_count - 1),
                if(window_count = 0, [], [{level:Float64}, {lower_1:Float64}, {lower_2:Float64}, {lower_3:Float64}, {lower_4:Float64}, {lower_5:Float64}, {lower_6:Float64}, {lower_7:Float64}, {lower_8:Float64}])
            )
        )
    ) as percentiles
from windows
order by step_start
