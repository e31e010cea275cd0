-- purpose: what page loads of whole days measured, by page and together, as of the last build: for reports of days that are over
-- parameters: since, until (exclusive), step_days (7: together by week; 1: by day; 0: of all days, and by page), ${filters_of_days} (empty: all)
-- returns: one row per page or all together (is_whole), start of the step and metric: navigation_type, sample_count, value_sum, percentiles (50, 75, 95), built_through

select
    is_whole,
    if(is_whole, '', page) as page_name,
    navigation_type,
    multiIf({step_days:UInt8} = 7, toMonday(day), {step_days:UInt8} = 1, day, {since:Date}) as step_start,
    metric,
    sum(cells.sample_count) as sample_count,
    round(sum(cells.value_sum), 6) as value_sum,
    if(
        countIf(empty(values) and metric != 'view') = 0 and sum(length(values)) <= 50000,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(values)),
        arrayMap(value -> toFloat64(value), quantilesTDigestMerge(0.5, 0.75, 0.95)(value_state))
    ) as percentiles,
    max(cells.built_through) as built_through
from errata_mart.page_metrics_daily as cells
array join if({step_days:UInt8} = 0, [true, false], [true]) as is_whole
where
    day >= {since:Date}
    and day < {until:Date}
    and navigation_type = 'navigate'
    and ${filters_of_days}
group by is_whole, page_name, navigation_type, step_start, metric
order by step_start, is_whole, page_name, metric
settings max_bytes_before_external_group_by = 150000000
