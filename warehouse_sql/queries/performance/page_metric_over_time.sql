-- purpose: one metric of page loads over windows that slide by steps: what a budget is evaluated by
-- definition: The chosen statistic of the metric over the page loads of each window that match the budget, and how many page loads measured it.
--   A load that had not ended when it was reported counts with the time until which it is known to have lasted.
--   Page loads of one user are worth about one independent sample, estimated from counters of users.
-- parameters: metric, level (of the percentile), lower_1, lower_2, lower_3, lower_4, lower_5, lower_6, lower_7, lower_8 (of lower percentiles), page (like), environment, device (empty: all), since, until (whole steps), step_seconds, reach_seconds (from the start of a window's first step to that of its last)
-- returns: one row per step: step_start, sample_count, value_sum, square_sum, percentiles (at level and the lower ones; empty or nan: no samples), unidentified_count source_squares (the sum over users of the squares of their samples, estimated) and largest_count (samples of the one with most, about) of the window that ends with the step

with cells as (
    select
        *,
        toStartOfInterval(hour, toIntervalSecond({step_seconds:UInt32})) as step_start,
        0 as error_count
    from errata_mart.page_metrics_hourly
    where
        metric = {metric:String}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ({page:String} = '' or page like {page:String})
        and ({environment:String} = '' or environment = {environment:String})
        and ({device:String} = '' or device = {device:String})
),

${part:windows_measured}
settings enable_materialized_cte = 1
