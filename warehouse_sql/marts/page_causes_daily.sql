-- errata_mart.page_causes_daily
-- purpose: which elements and scripts INP, LCP and CLS of a page come from, by day, with the parts of each
-- grain:   one row per project, day, page, kind of navigation, environment, release, vital, cause and part of the vital
-- key:     project_id, day, page, navigation_type, environment, release, metric, element, url, invoker, file, function, position, part
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_mart.page_loads

create table errata_mart.page_causes_daily
(
    project_id UInt32 comment 'project',
    day Date comment 'UTC day on which the views started',
    page LowCardinality(String) comment 'path with {id} for variable parts, or the name of the route',
    navigation_type LowCardinality(String) comment 'navigate, soft-navigation or back-forward-cache',
    environment LowCardinality(String) comment 'environment of the counted views; empty when none was named',
    release LowCardinality(String) comment 'release of the counted views; empty when none was named',
    metric LowCardinality(String) comment 'inp_ms, lcp_ms or cls',
    element LowCardinality(String) comment 'selector of the element: clicked (inp_ms), largest (lcp_ms) or moved most (cls); empty: not sent, or nothing moved; (other): beyond the 30 most frequent causes of the cell',
    url LowCardinality(String) comment 'image of the LCP, without query, fragment and secrets; empty: text, or another vital',
    invoker LowCardinality(String) comment 'what called the script that kept the user waiting; empty: not sent, or another vital',
    file LowCardinality(String) comment 'URL of that script, without query, fragment and secrets',
    function LowCardinality(String) comment 'function of that script, as the browser names it',
    position Int32 comment 'character of the file at which the function begins; -1: unknown',
    part LowCardinality(String) comment 'value: the vital itself; of inp_ms input_delay_ms, processing_ms and presentation_ms; of lcp_ms ttfb_ms, load_delay_ms, load_duration_ms, render_delay_ms, and size_px, the visible area in CSS pixels',
    sample_count UInt64 comment 'views with a value of this part',
    slow_count UInt64 comment 'of these, views whose vital is above good',
    values Array(Float64) comment 'samples in ascending order, below 1,000; empty above',
    value_state AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 't-digest, from 1,000 samples on; empty below',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (day, version)
order by (project_id, day, page, navigation_type, environment, release, metric, element, url, invoker, file, function, position, part)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with later_copies as materialized (
    -- Of an item whose copies name several hours of a day the one received first counts.
    select
        project_id,
        item_id,
        tupleElement(arrayJoin(arrayPopFront(arraySort(groupArray((received_at, hour))))), 2) as later_hour
    from errata_mart.page_loads
    where toStartOfDay(hour) in {windows:Array(DateTime('UTC'))}
    group by project_id, toDate(hour), item_id
    having count() > 1
),

caused as (
    select
        project_id,
        toDate(hour) as day,
        page,
        navigation_type,
        environment,
        release,
        arrayJoin(causes) as cause
    from errata_mart.page_loads
    where
        toStartOfDay(hour) in {windows:Array(DateTime('UTC'))}
        and (project_id, item_id, hour) not in (select project_id, item_id, later_hour from later_copies)
        -- A large day is built slice by slice of its cells.
        and cityHash64(project_id, page, environment, release) between {slice_from:UInt64} and {slice_to:UInt64}
),

found as (
    select
        project_id,
        day,
        page,
        navigation_type,
        environment,
        release,
        tupleElement(cause, 'metric') as metric,
        tupleElement(cause, 'element') as element,
        tupleElement(cause, 'url') as url,
        tupleElement(cause, 'invoker') as invoker,
        tupleElement(cause, 'file') as file,
        tupleElement(cause, 'function') as function,
        tupleElement(cause, 'position') as position,
        count() as view_count,
        groupArray((tupleElement(cause, 'value'), tupleElement(cause, 'is_slow'), tupleElement(cause, 'parts'))) as measured
    from caused
    group by project_id, day, page, navigation_type, environment, release, metric, element, url, invoker, file, function, position
),

placed as (
    select
        *,
        -- If every view has an element of its own, single elements say little.
        row_number() over (
            partition by project_id, day, page, navigation_type, environment, release, metric
            order by view_count desc, element asc, url asc, invoker asc, file asc, function asc, position asc
        ) > 30 as is_other
    from found
),

named as (
    select
        project_id,
        day,
        page,
        navigation_type,
        environment,
        release,
        metric,
        if(is_other, '(other)', element) as cause_element,
        if(is_other, '', url) as cause_url,
        if(is_other, '', invoker) as cause_invoker,
        if(is_other, '', file) as cause_file,
        if(is_other, '', function) as cause_function,
        if(is_other, -1, position) as cause_position,
        groupArrayArray(measured) as measured
    from placed
    group by
        project_id, day, page, navigation_type, environment, release, metric,
        cause_element, cause_url, cause_invoker, cause_file, cause_function, cause_position
),

parts as (
    select
        *,
        multiIf(
            metric = 'inp_ms', ['value', 'input_delay_ms', 'processing_ms', 'presentation_ms'],
            metric = 'lcp_ms', ['value', 'ttfb_ms', 'load_delay_ms', 'load_duration_ms', 'render_delay_ms', 'size_px'],
            ['value']
        ) as part_names,
        arrayJoin(arrayEnumerate(part_names)) as number,
        arrayFilter(
            own -> not isNaN(tupleElement(own, 1)),
            arrayMap(
                each -> (
                    if(number = 1, tupleElement(each, 1), arrayElement(tupleElement(each, 3), number - 1)),
                    tupleElement(each, 2)
                ),
                measured
            )
        ) as samples,
        arraySort(arrayMap(own -> tupleElement(own, 1), samples)) as sorted
    from named
)

select
    project_id,
    day,
    page,
    navigation_type,
    environment,
    release,
    metric,
    cause_element as element,
    cause_url as url,
    cause_invoker as invoker,
    cause_file as file,
    cause_function as function,
    cause_position as position,
    arrayElement(part_names, number) as part,
    length(sorted) as sample_count,
    arrayCount(own -> tupleElement(own, 2), samples) as slow_count,
    if(sample_count < 1000, sorted, []) as values,
    -- Fed in ascending order by one thread: the same samples always give the same state.
    arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(sample_count < 1000, [], sorted)) as value_state,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from parts
where notEmpty(sorted)
settings enable_materialized_cte = 1, max_bytes_before_external_group_by = 800000000
