-- page_metrics_built
-- purpose: the metrics of page views in a period of whole days and the one before it, as of a build, by page or together, with what more samples are added by
-- parameters: before (start of the period before; the same as since: none), since,
--   bucket (period, week or day), has_pages, has_whole (which rows are told), metrics, metrics_before (of the period before), environment, release, page (empty: all),
--   reach (how many values on either side of a percentile are told)
-- returns: one row per bucket, page or all together (is_whole), kind of navigation and metric: sample_count, value_sum, percentiles (50, 75, 95), is_exact,
--   around (if exact: for each percentile the values about it, ascending; else one array: what the digest says at the levels)
-- inputs:  errata_mart.page_metrics_daily

with cells as (
    select
        multiIf(
            {bucket:String} = 'week', toStartOfWeek(day, 1),
            {bucket:String} = 'day', day,
            if(day < {since:Date}, {before:Date}, {since:Date})
        ) as bucket_start,
        if({bucket:String} = 'period' and day < {since:Date}, 1, 0) as is_before,
        page,
        navigation_type,
        metric,
        sum(daily.sample_count) as sample_count,
        sum(daily.value_sum) as value_sum,
        countIf(empty(daily.values) and metric != 'view') as digest_count,
        groupArrayArray(daily.values) as values,
        quantilesTDigestMergeStateIf(0.5, 0.75, 0.95)(daily.value_state, empty(daily.values)) as digests
    from errata_mart.page_metrics_daily as daily
    where
        day >= {before:Date}
        and has(if(day < {since:Date}, {metrics_before:Array(String)}, {metrics:Array(String)}), metric)
        and ({environment:String} = '' or environment = {environment:String})
        and ({release:String} = '' or release = {release:String})
        and ({page:String} = '' or page = {page:String})
    group by bucket_start, is_before, page, navigation_type, metric
),

digested as (
    -- One digest of many values costs less than one of each day's.
    select
        *,
        digest_count = 0 and length(cells.values) <= 50000 as is_small,
        if({has_whole:Bool} or not is_small, cells.values, []) as to_digest,
        arrayReduce(
            'quantilesTDigestMergeState(0.5, 0.75, 0.95)',
            [cells.digests, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', to_digest)]
        ) as state
    from cells
),

counted as (
    select
        bucket_start,
        is_before,
        arrayJoin(
            arrayConcat(
                if({has_pages:Bool}, [(toString(page), false)], []),
                if({has_whole:Bool}, [('', true)], [])
            )
        ) as level,
        navigation_type,
        metric,
        sum(digested.sample_count) as sample_count,
        -- Values have three decimals at most: rounded, the order of adding them does not matter.
        round(sum(digested.value_sum), 3) as value_sum,
        min(is_small) and sum(length(digested.values)) <= 50000 as is_exact,
        if(is_exact, arraySort(groupArrayArray(50000)(if(is_small, digested.values, []))), []) as sorted,
        quantilesTDigestMerge(0., 0.1, 0.25, 0.4, 0.45, 0.48, 0.5, 0.52, 0.55, 0.6, 0.7, 0.73, 0.75, 0.77, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.99, 1.)(state) as levels
    from digested
    group by bucket_start, is_before, level, navigation_type, metric
)

select
    bucket_start,
    is_before,
    tupleElement(level, 1) as page_name,
    tupleElement(level, 2) as is_whole,
    navigation_type::String as navigation_type,
    metric::String as metric,
    sample_count,
    value_sum,
    is_exact,
    if(
        is_exact,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', sorted),
        arrayMap(place -> toFloat64(levels[place]), [7, 13, 19])
    ) as percentiles,
    if(
        is_exact,
        arrayMap(
            probability -> arraySlice(
                sorted,
                1 + greatest(0, toInt64(floor((length(sorted) - 1) * probability)) - {reach:UInt32}),
                2 * {reach:UInt32} + 2
            ),
            [0.5, 0.75, 0.95]
        ),
        [arrayMap(value -> toFloat64(value), levels)]
    ) as around
from counted
