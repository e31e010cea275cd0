-- page_metrics
-- purpose: the metrics of page views in a period and the one before it, by page or together: what was built, and what came in since
-- parameters: complete_through (what was received before it is in the mart: skips raw rows), parts_from (so do parts of what may be new), before (start of the period before; the same as since: none), since, split_days (days to count from raw: those that a period begins within, or all), bucket (period, week or day), has_pages, has_whole (which rows are told: of each page, of all together), environment, release, page, device, browser (empty: all; of a device or browser only days counted from raw are told)
-- returns: one row per bucket, page or all together (is_whole), kind of navigation and metric: sample_count, value_sum, percentiles (50, 75, 95)
-- inputs:  errata_mart.page_metrics_daily, errata_raw.page_views

with raw as (
    select *
    from errata_raw.page_views
    where received_at >= {before:DateTime('UTC')} - toIntervalDay(2)
),

built as materialized (
    select
        day,
        max(built_through) as built_through
    from errata_mart.page_metrics_daily
    where
        day >= toDate({before:DateTime('UTC')})
        and day not in {split_days:Array(Date)}
    group by day
),

arrived as materialized (
    -- Loads that no built row can hold, but as a repeat.
    select
        raw.project_id as project_id,
        raw.item_id as item_id,
        raw.view_id as view_id,
        raw.trace_id as trace_id,
        -- The part of a day before the period begins counts for the one before it.
        if(
            toDate(raw.occurred_at) = toDate({since:DateTime('UTC')}) and raw.occurred_at < {since:DateTime64(3, 'UTC')},
            toDate(raw.occurred_at) - 1,
            toDate(raw.occurred_at)
        ) as day,
        raw.occurred_at as occurred_at,
        raw.received_at as received_at,
        raw.navigation_type as navigation_type,
        raw.page as page,
        raw.environment as environment,
        raw.release as release,
        raw.started_at_ms as started_at_ms
    from raw
    left join built on toDate(raw.occurred_at) = built.day
    where
        raw.is_load
        and raw.occurred_at >= {before:DateTime('UTC')}
        -- Only skips what is in the mart for sure; the next line decides.
        and (
            raw.received_at >= {complete_through:DateTime64(3, 'UTC')}
            or toDate(raw.occurred_at) in {split_days:Array(Date)}
        )
        and raw.received_at >= built.built_through
        and ({environment:String} = '' or raw.environment = {environment:String})
        and ({release:String} = '' or raw.release = {release:String})
        and ({page:String} = '' or raw.page = {page:String})
        and ({device:String} = '' or raw.device = {device:String})
        and ({browser:String} = '' or raw.browser = {browser:String})
    order by received_at, started_at_ms
    limit 1 by project_id, day, item_id
),

known as (
    select
        raw.project_id as project_id,
        toDate(raw.occurred_at) as day,
        raw.item_id as item_id
    from raw
    inner join built on toDate(raw.occurred_at) = built.day
    where
        raw.is_load
        and raw.received_at < built.built_through
        -- Copies of one day are the same: only the days of what arrived are looked through.
        and (raw.project_id, toDate(raw.occurred_at), raw.item_id) in (
            select
                project_id,
                day,
                item_id
            from arrived
        )
),

loads as materialized (
    select *
    from arrived
    where (project_id, day, item_id) not in (select project_id, day, item_id from known)
),

recent as (
    select *
    from raw
    where received_at >= {parts_from:DateTime64(3, 'UTC')}
),

openings as (
    -- The views of each trace in the order they opened, where a part names its trace alone: loads without a
    -- trace would all be one.
    select
        project_id,
        trace_id,
        arraySort(groupUniqArray((started_at_ms, view_id))) as opened,
        tupleElement(opened, 1) as starts,
        tupleElement(opened, 2) as view_ids
    from recent
    where
        is_load
        and trace_id in (select trace_id from loads)
        and trace_id in (select trace_id from recent where view_id = 0)
    group by project_id, trace_id
),

views as (
    -- Copies of a part say the same: of what is largest, last or covered they change nothing.
    select
        loads.project_id as project_id,
        loads.day as day,
        any(loads.page) as page,
        any(loads.navigation_type) as navigation_type,
        any(loads.environment) as environment,
        any(loads.release) as release,
        any(loads.started_at_ms) as started_at_ms,
        round(max(parts.load_at_ms) - started_at_ms, 3) as load_ms,
        -- The SDK leaves TTFB out if the page was left before it had loaded; the first byte is known all the same.
        if(
            isNaN(max(parts.ttfb_ms)),
            round(max(parts.response_at_ms) - started_at_ms, 3),
            max(parts.ttfb_ms)
        ) as ttfb_ms,
        round(max(parts.dom_ready_at_ms) - started_at_ms, 3) as dom_ready_ms,
        max(parts.fp_ms) as fp_ms,
        max(parts.fcp_ms) as fcp_ms,
        if(
            countIf(not isNaN(parts.lcp_ms)) = 0,
            nan,
            argMaxIf(parts.lcp_ms, (parts.occurred_at, parts.item_id), not isNaN(parts.lcp_ms))
        ) as lcp_ms,
        max(parts.cls) as cls,
        max(parts.inp_ms) as inp_ms,
        groupArrayArray(parts.resource_intervals) as intervals,
        groupUniqArrayIf((parts.item_id, parts.call_ms), notEmpty(parts.call_ms)) as calls
    from (
        select
            recent.project_id as project_id,
            recent.item_id as item_id,
            -- A part that names its trace alone belongs to the view of that trace that was open when it happened.
            if(
                recent.view_id != 0,
                recent.view_id,
                openings.view_ids[greatest(1, arrayLastIndex(start -> start <= recent.started_at_ms, openings.starts))]
            ) as owner_id,
            recent.is_load as is_load,
            recent.occurred_at as occurred_at,
            recent.received_at as received_at,
            recent.navigation_type as navigation_type,
            recent.load_at_ms as load_at_ms,
            recent.dom_ready_at_ms as dom_ready_at_ms,
            recent.response_at_ms as response_at_ms,
            recent.ttfb_ms as ttfb_ms,
            recent.fp_ms as fp_ms,
            recent.fcp_ms as fcp_ms,
            recent.lcp_ms as lcp_ms,
            recent.cls as cls,
            recent.inp_ms as inp_ms,
            recent.resource_intervals as resource_intervals,
            recent.call_ms as call_ms
        from recent
        left join openings on recent.project_id = openings.project_id and recent.trace_id = openings.trace_id
        where recent.view_id = 0 or recent.view_id in (select view_id from loads)
    ) as parts
    inner join loads on parts.project_id = loads.project_id and parts.owner_id = loads.view_id
    where
        parts.navigation_type in ('', loads.navigation_type)
        -- What opens the view on another day is of that day.
        and (not parts.is_load or toDate(parts.occurred_at) = toDate(loads.occurred_at))
        and parts.received_at >= loads.received_at - toIntervalDay(2)
        and parts.received_at <= loads.received_at + toIntervalDay(2)
    group by loads.project_id, loads.day, loads.item_id
),

samples as (
    select
        project_id,
        day,
        page,
        navigation_type,
        environment,
        release,
        arrayJoin([
            ('view', [toFloat64(0)]),
            ('load_ms', [load_ms]),
            ('ttfb_ms', [ttfb_ms]),
            ('dom_ready_ms', [dom_ready_ms]),
            ('fp_ms', [fp_ms]),
            ('fcp_ms', [fcp_ms]),
            ('lcp_ms', [lcp_ms]),
            ('cls', [cls]),
            ('inp_ms', [inp_ms]),
            (
                'resources_ms',
                [if(empty(intervals), nan, round(arrayReduce('intervalLengthSum', tupleElement(intervals, 1), tupleElement(intervals, 2)), 3))]
            ),
            ('api_ms', arrayFlatten(arrayMap(one -> tupleElement(one, 2), calls)))
        ]) as measure,
        arrayFilter(value -> isFinite(value), tupleElement(measure, 2)) as measured
    from views
),

cells as (
    select
        project_id,
        day,
        page,
        navigation_type,
        environment,
        release,
        tupleElement(measure, 1) as metric,
        arraySort(groupArrayArray(measured)) as sorted,
        metric != 'view' and length(sorted) >= 1000 as is_digested,
        length(sorted) as sample_count,
        arraySum(sorted) as value_sum,
        if(is_digested or metric = 'view', [], sorted) as values,
        -- Fed in ascending order by one thread: the same samples always give the same state.
        arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(is_digested, sorted, [])) as value_state
    from samples
    where notEmpty(measured)
    group by project_id, day, page, navigation_type, environment, release, metric
),

counted as (
    select
        day,
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
        and day not in {split_days:Array(Date)}
        and ({environment:String} = '' or environment = {environment:String})
        and ({release:String} = '' or release = {release:String})
        and ({page:String} = '' or page = {page:String})
    union all
    select
        day,
        page,
        navigation_type,
        metric,
        sample_count,
        value_sum,
        values,
        value_state
    from cells
)

select
    multiIf(
        {bucket:String} = 'week', toStartOfWeek(day, 1),
        {bucket:String} = 'day', day,
        if(day < toDate({since:DateTime('UTC')}), toDate({before:DateTime('UTC')}), toDate({since:DateTime('UTC')}))
    ) as bucket_start,
    if({bucket:String} = 'period' and day < toDate({since:DateTime('UTC')}), 1, 0) as is_before,
    arrayJoin(
        arrayConcat(
            if({has_pages:Bool}, [(toString(page), false)], []),
            if({has_whole:Bool}, [('', true)], [])
        )
    ) as level,
    tupleElement(level, 1) as page_name,
    tupleElement(level, 2) as is_whole,
    navigation_type,
    metric,
    sum(counted.sample_count) as sample_count,
    -- Values have three decimals at most: rounded, the order of adding them does not matter.
    round(sum(counted.value_sum), 3) as value_sum,
    if(
        countIf(empty(values) and metric != 'view') = 0 and sum(length(values)) <= 50000,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(values)),
        arrayMap(
            value -> toFloat64(value),
            quantilesTDigestMerge(0.5, 0.75, 0.95)(
                if(empty(values), value_state, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', values))
            )
        )
    ) as percentiles
from counted
group by bucket_start, is_before, level, navigation_type, metric
order by bucket_start, is_before, page_name, is_whole, navigation_type, metric
settings enable_materialized_cte = 1, max_bytes_before_external_group_by = 150000000
