-- window_sums
-- purpose: what a window of steps adds up to, its values in ascending order and the percentiles of its digests
-- parameters: level, lower_1, lower_2, lower_3, lower_4, lower_5, lower_6, lower_7, lower_8
-- inputs:  none
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
