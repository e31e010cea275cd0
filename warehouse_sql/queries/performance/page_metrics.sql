-- purpose: the metrics of page views in a period and the one before it, by page or together, as of the last build
-- definition: Views counts the page loads of a page, each once. A metric such as LCP is a percentile over those page loads that measured it: exact
--   below 1,000 a day (with a filter by device, browser or country: in the period) and 50,000 in all, else estimated by t-digest within 1%. A load that had not ended when it was reported counts with the time
--   until which it is known to have lasted, so a load time marked ≥ is a lower bound.
-- parameters: before (start of the period before; the same as since: none), since, until, days_of_loads (days to count from page loads: those that a period begins or ends within, or all where a filter is chosen that days do not tell apart), bucket (period, week, day or hour: then every day is counted from page loads), has_pages, has_whole (which rows are told), metrics, metrics_before (of the period before), ${filters}, page (empty: all)
-- returns: one row per bucket, page or all together (is_whole), kind of navigation and metric: sample_count, value_sum, percentiles (50, 75, 95)

with measured as (
    select
        hour < {since:DateTime('UTC')} as is_before,
        -- Steps no finer than the page needs.
        multiIf(
            {bucket:String} = 'hour', hour,
            {bucket:String} != 'period', toStartOfDay(hour),
            is_before, {before:DateTime('UTC')},
            {since:DateTime('UTC')}
        ) as moment,
        page,
        navigation_type,
        arrayJoin(
            arrayZip(
                any(timing_names),
                countArrayForEach(timings),
                sumArrayForEach(timings),
                groupArrayArrayForEach(1000)(timings),
                quantilesTDigestStateArrayForEach(0.5, 0.75, 0.95)(timings)
            )
        ) as cell
    from errata_mart.page_loads
    where
        toDate(hour) in {days_of_loads:Array(Date)}
        and hour >= {before:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ${filters}
        and ({page:String} = '' or page = {page:String})
    group by moment, is_before, page, navigation_type
),

cells as (
    select
        moment,
        is_before,
        page,
        navigation_type,
        tupleElement(cell, 1) as metric,
        tupleElement(cell, 2) as sample_count,
        tupleElement(cell, 3) as value_sum,
        if(metric = 'view' or sample_count >= 1000, [], tupleElement(cell, 4)) as values,
        tupleElement(cell, 5) as value_state
    from measured
    where sample_count > 0
    union all
    select
        toDateTime(day, 'UTC') as moment,
        day < toDate({since:DateTime('UTC')}) as is_before,
        page,
        navigation_type,
        metric,
        sample_count,
        value_sum,
        values,
        value_state
    from errata_mart.page_metrics_daily
    where
        day >= toDate({before:DateTime('UTC')})
        and day < toDate({until:DateTime('UTC')})
        and day not in {days_of_loads:Array(Date)}
        and ${filters_of_days}
        and ({page:String} = '' or page = {page:String})
),

pages as (
    select
        multiIf(
            {bucket:String} = 'week', toDateTime(toMonday(moment), 'UTC'),
            {bucket:String} in ('day', 'hour'), moment,
            is_before, {before:DateTime('UTC')},
            {since:DateTime('UTC')}
        ) as bucket_start,
        {bucket:String} = 'period' and is_before as is_period_before,
        page,
        navigation_type,
        metric,
        sum(cells.sample_count) as sample_count,
        sum(cells.value_sum) as value_sum,
        countIf(empty(cells.values) and metric != 'view') as digest_count,
        groupArrayArray(50001)(cells.values) as values,
        quantilesTDigestMergeState(0.5, 0.75, 0.95)(cells.value_state) as value_state
    from cells
    where has(if(is_before, {metrics_before:Array(String)}, {metrics:Array(String)}), metric)
    group by bucket_start, is_period_before, page, navigation_type, metric
)

select
    bucket_start,
    is_period_before as is_before,
    arrayJoin(
        arrayConcat(
            if({has_pages:Bool}, [(toString(page), false)], []),
            if({has_whole:Bool}, [('', true)], [])
        )
    ) as level,
    tupleElement(level, 1) as page_name,
    tupleElement(level, 2) as is_whole,
    navigation_type::String as navigation_type,
    metric::String as metric,
    sum(pages.sample_count) as sample_count,
    -- Values have three decimals at most: with rounding, the sum does not depend on the order.
    round(sum(pages.value_sum), 3) as value_sum,
    if(
        sum(pages.digest_count) = 0 and sum(length(pages.values)) <= 50000,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(pages.values)),
        arrayMap(value -> toFloat64(value), quantilesTDigestMerge(0.5, 0.75, 0.95)(pages.value_state))
    ) as percentiles
from pages
group by bucket_start, is_before, level, navigation_type, metric
order by bucket_start, is_before, page_name, is_whole, navigation_type, metric
settings max_bytes_before_external_group_by = 150000000
