-- window_percentiles
-- purpose: percentiles of each window: exact up to 2,000 samples, else by t-digest
-- parameters: level, lower_1, lower_2, lower_3, lower_4, lower_5, lower_6, lower_7, lower_8
-- inputs:  none
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
