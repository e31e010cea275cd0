-- purpose: which elements and scripts INP, LCP and CLS of a page come from in a period, with the parts of each, as of the last build
-- definition: Loads counts page loads that measured the vital; its share is of all page loads that measured it. Slow are those above good. Percentiles of a
--   vital and of its parts are over the loads of one cause that have them: exact below 1,000 a day and 50,000 in all, else estimated by t-digest.
-- parameters: since, until, days_of_loads (days to count from page loads: those that a period begins or ends within, or all where a filter is chosen that
--   days do not tell apart), page, limit (causes of a vital), named_scripts (file:position of functions that may be wrappers and are none), ${filters}, ${filters_of_days}
-- returns: one row per vital, cause and part, the causes of a vital by place: views, slow_views, sample_count, percentiles (50, 75, 95); all_views, all_slow,
--   all_known (loads with all parts; each of the vital), cause_count

with of_loads as (
    select
        tupleElement(cause, 'metric') as metric,
        tupleElement(cause, 'element') as element,
        tupleElement(cause, 'url') as url,
        tupleElement(cause, 'invoker') as invoker,
        tupleElement(cause, 'file') as file,
        tupleElement(cause, 'function') as function,
        tupleElement(cause, 'position') as position,
        tupleElement(cause, 'is_slow') as is_slow,
        arrayJoin(arrayZip(
            multiIf(
                metric = 'inp_ms', ['value', 'input_delay_ms', 'processing_ms', 'presentation_ms'],
                metric = 'lcp_ms', ['value', 'ttfb_ms', 'load_delay_ms', 'load_duration_ms', 'render_delay_ms', 'size_px'],
                ['value']
            ),
            arrayPushFront(tupleElement(cause, 'parts'), tupleElement(cause, 'value'))
        )) as each_part
    from (
        ${part:causes_of_loads}
    )
    where not isNaN(tupleElement(each_part, 2))
),

sent as (
    select
        metric,
        element,
        url,
        invoker,
        file,
        function,
        any(position) as position,
        tupleElement(each_part, 1) as part,
        count() as sample_count,
        countIf(is_slow) as slow_count,
        if(sample_count < 1000, groupArray(1000)(tupleElement(each_part, 2)), []) as values,
        quantilesTDigestState(0.5, 0.75, 0.95)(tupleElement(each_part, 2)) as value_state
    from of_loads
    group by metric, element, url, invoker, file, function, part
    union all
    select
        metric,
        element,
        url,
        invoker,
        file,
        function,
        position,
        part,
        sample_count,
        slow_count,
        values,
        value_state
    from errata_mart.page_causes_daily
    where
        day >= toDate({since:DateTime('UTC')})
        and day < toDate({until:DateTime('UTC')})
        and day not in {days_of_loads:Array(Date)}
        and navigation_type = 'navigate'
        and page = {page:String}
        and ${filters_of_days}
),

named as (
    select
        *,
        ${part:may_be_wrapper}
        and concat(file, ':', toString(position)) not in {named_scripts:Array(String)} as is_wrapper
    from sent
),

cells as materialized (
    -- An SDK's wrapper, one in each build, tells nothing: loads of all builds are of one cause.
    select * except (is_wrapper) replace (
        if(named.is_wrapper, '', named.file) as file,
        if(named.is_wrapper, '', named.function) as function,
        if(named.is_wrapper, -1, named.position) as position
    )
    from named
),

counted as (
    select
        metric as vital,
        element as cause_element,
        url as cause_url,
        invoker as cause_invoker,
        file as cause_file,
        function as cause_function,
        sumIf(cells.sample_count, cells.part = 'value') as views,
        sumIf(cells.slow_count, cells.part = 'value') as slow_views,
        -- Of its parts the last of a vital is known only where all are.
        sumIf(cells.sample_count, cells.part in ('presentation_ms', 'render_delay_ms')) as known_views
    from cells
    group by vital, cause_element, cause_url, cause_invoker, cause_file, cause_function
),

placed as materialized (
    select
        *,
        sum(views) over (partition by vital) as all_views,
        sum(slow_views) over (partition by vital) as all_slow,
        sum(known_views) over (partition by vital) as all_known,
        count() over (partition by vital) as cause_count,
        row_number() over (
            partition by vital
            -- What is beyond the most frequent ones, and loads of which no element is known, come last.
            order by
                cause_element in ('', '(other)'),
                slow_views desc,
                views desc,
                cause_element,
                cause_url,
                cause_invoker,
                cause_file,
                cause_function
        ) as place
    from counted
)

select
    placed.vital as vital,
    placed.place as place,
    placed.cause_element as cause_element,
    placed.cause_url as cause_url,
    placed.cause_invoker as cause_invoker,
    placed.cause_file as cause_file,
    placed.cause_function as cause_function,
    max(cells.position) as cause_position,
    placed.views as views,
    placed.slow_views as slow_views,
    placed.all_views as all_views,
    placed.all_slow as all_slow,
    placed.all_known as all_known,
    placed.cause_count as cause_count,
    cells.part as part,
    sum(cells.sample_count) as sample_count,
    if(
        countIf(empty(cells.values)) = 0 and sum(length(cells.values)) <= 50000,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(cells.values)),
        arrayMap(
            value -> toFloat64(value),
            quantilesTDigestMerge(0.5, 0.75, 0.95)(
                if(
                    empty(cells.values),
                    cells.value_state,
                    arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', cells.values)
                )
            )
        )
    ) as percentiles
from cells
inner join placed
    on cells.metric = placed.vital
    and cells.element = placed.cause_element
    and cells.url = placed.cause_url
    and cells.invoker = placed.cause_invoker
    and cells.file = placed.cause_file
    and cells.function = placed.cause_function
where placed.place <= {limit:UInt32}
group by
    vital, place, cause_element, cause_url, cause_invoker, cause_file, cause_function,
    views, slow_views, all_views, all_slow, all_known, cause_count, part
order by vital, place, part
settings enable_materialized_cte = 1, max_bytes_before_external_group_by = 150000000
