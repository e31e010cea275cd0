-- errata_mart.page_loads
-- purpose: page loads, soft navigations and restores, each with all its parts put together: what every figure of pages is counted from
-- grain:   one row per project, hour and item that opens a view
-- key:     project_id, page, hour, item_id
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_raw.page_views, errata_raw.page_resources

create table errata_mart.page_loads
(
    project_id UInt32 comment 'project',
    hour DateTime('UTC') comment 'UTC hour in which the view started',
    page LowCardinality(String) comment 'path with {id} for variable parts, or the name of the route',
    navigation_type LowCardinality(String) comment 'navigate, soft-navigation or back-forward-cache',
    environment LowCardinality(String) comment 'environment of the view; empty when none was named',
    release LowCardinality(String) comment 'release of the view; empty when none was named',
    device LowCardinality(String) comment 'desktop, mobile, tablet or bot; empty: unknown',
    browser LowCardinality(String) comment 'browser name; empty: unknown',
    country LowCardinality(String) comment 'country of the visitor, two letters of ISO 3166-1; empty: unknown',
    item_id UUID comment 'id of the item that opened the view',
    view_id UInt64 comment 'span id of the view',
    trace_id UUID comment 'trace of the view; nil: none',
    occurred_at DateTime64(3, 'UTC') comment 'start of the view',
    received_at DateTime64(3, 'UTC') comment 'receipt of the first copy of the opening item',
    started_at_ms Float64 comment 'start of the view in Unix milliseconds, as sent',
    user_hash UInt64 comment 'hash of the user; 0: not identified',
    url String comment 'URL without query, fragment and credentials',
    load_ms Float64 comment 'end of the load event; nan: not measured',
    unended_ms Float64 comment 'time until which a page load without a reported end is known to have lasted; nan: it ended, or nothing is known of its end',
    ttfb_ms Float64 comment 'first byte; nan: not measured',
    dom_ready_ms Float64 comment 'end of DOMContentLoaded; nan: not measured',
    fp_ms Float64 comment 'first paint; nan: not measured',
    fcp_ms Float64 comment 'first contentful paint; nan: not measured',
    lcp_ms Float64 comment 'largest contentful paint, the last value sent; nan: not measured',
    lcp_url String comment 'URL of the largest image',
    cls Float64 comment 'cumulative layout shift, the largest value sent, without unit; nan: not measured',
    inp_ms Float64 comment 'interaction to next paint, the largest value sent; nan: not measured',
    causes Array(Tuple(metric LowCardinality(String), element LowCardinality(String), url LowCardinality(String), invoker LowCardinality(String), file LowCardinality(String), function LowCardinality(String), position Int32, value Float64, is_slow Bool, parts Array(Float64))) comment 'of each measured one of inp_ms, lcp_ms and cls: its element, its image (lcp_ms), the script that kept the user waiting (inp_ms), its value, whether it is above good, and its parts in the order of page_causes_daily, nan: unknown',
    resources_ms Float64 comment 'time during which at least one resource was loading; nan: not measured',
    api_ms Array(Float64) comment 'duration of each API call',
    request_count UInt32 comment 'resources reported; 0: sizes are unknown',
    total_bytes UInt64 comment 'compressed size of all resources, from the cache too',
    script_bytes UInt64 comment 'compressed size of scripts, from the cache too',
    style_bytes UInt64 comment 'compressed size of style sheets, from the cache too',
    image_bytes UInt64 comment 'compressed size of images, from the cache too',
    font_bytes UInt64 comment 'compressed size of fonts, from the cache too',
    computed_through DateTime64(3, 'UTC') comment 'rows received before this moment are part of the view; later builds copied the hour',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only',
    timing_names Array(String) alias ['view', 'load_ms', 'load_at_most_ms', 'unended_ms', 'ttfb_ms', 'dom_ready_ms', 'fp_ms', 'fcp_ms', 'lcp_ms', 'cls', 'inp_ms', 'resources_ms', 'api_ms'] comment 'names of the timing metrics; view is only counted, and load_at_most_ms is a day for a load that never ended: no later load event is kept',
    timings Array(Array(Float64)) alias [[toFloat64(0)], multiIf(isFinite(load_ms), [load_ms], isFinite(unended_ms), [unended_ms], []), multiIf(isFinite(load_ms), [load_ms], isFinite(unended_ms), [toFloat64(86400000)], []), if(isFinite(unended_ms), [unended_ms], []), if(isFinite(ttfb_ms), [ttfb_ms], []), if(isFinite(dom_ready_ms), [dom_ready_ms], []), if(isFinite(fp_ms), [fp_ms], []), if(isFinite(fcp_ms), [fcp_ms], []), if(isFinite(lcp_ms), [lcp_ms], []), if(isFinite(cls), [cls], []), if(isFinite(inp_ms), [inp_ms], []), if(isFinite(resources_ms), [resources_ms], []), arrayFilter(value -> isFinite(value), api_ms)] comment 'samples of each metric in timing_names; none where not measured; of load_ms unended_ms where the load never ended',
    size_names Array(String) alias ['request_count', 'total_bytes', 'script_bytes', 'style_bytes', 'image_bytes', 'font_bytes'] comment 'names of the size metrics',
    sizes Array(Array(Float64)) alias if(request_count = 0, [[], [], [], [], [], []], [[toFloat64(request_count)], [toFloat64(total_bytes)], [toFloat64(script_bytes)], [toFloat64(style_bytes)], [toFloat64(image_bytes)], [toFloat64(font_bytes)]]) comment 'samples of each metric in size_names; none where no resource was reported',
    index computed_through_minmax computed_through type minmax granularity 8
)
engine = MergeTree
partition by (toDate(hour), version)
order by (project_id, page, hour, item_id)
-- As long as the rows that it is put together from: it tells of single visits.
ttl toDate(hour) + interval 400 day
settings ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with load_parts as (
    select
        project_id,
        toStartOfHour(occurred_at) as hour,
        page,
        navigation_type,
        environment,
        release,
        device,
        browser,
        country,
        item_id,
        view_id,
        trace_id,
        occurred_at,
        received_at,
        started_at_ms,
        user_hash,
        url,
        -- A number is quicker to join and to group by than what it stands for. A slice is a range of them.
        cityHash64(project_id, hour, item_id) as load_key
    from errata_raw.page_views
    where
        is_load
        and ({is_every_window:Bool} or toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))})
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime64(3, 'UTC')}
        -- Skips partitions: the windows' recorded arrivals. Where the bounds say it all, no row is looked up.
        and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
        and load_key between {slice_from:UInt64} and {slice_to:UInt64}
),

repeated as materialized (
    select load_key
    from load_parts
    group by load_key
    having count() > 1
),

loads as materialized (
    -- Of a part's copies of one hour the one received first counts. Few have any: only these are sorted.
    select *
    from load_parts
    where load_key not in (select load_key from repeated)
    union all
    select *
    from (
        select *
        from load_parts
        where load_key in (select load_key from repeated)
        order by received_at, started_at_ms, page, environment, release, device, browser, country
        limit 1 by load_key
    ) as first_received
),

parts_in_reach as (
    select *
    from errata_raw.page_views
    where
        ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

openings as (
    -- The views of each trace in the order they opened, where a part names its trace alone: loads without a
    -- trace would all be one.
    select
        project_id,
        trace_id,
        arraySort(groupUniqArray((started_at_ms, view_id))) as openings_in_order,
        tupleElement(openings_in_order, 1) as starts,
        tupleElement(openings_in_order, 2) as view_ids
    from errata_raw.page_views
    where
        is_load
        and ({is_every_day:Bool} or toDate(received_at) in {near_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {received_to:DateTime64(3, 'UTC')} + toIntervalDay(2)
        and received_at < {watermark:DateTime64(3, 'UTC')}
        and trace_id in (
            select trace_id
            from parts_in_reach
            where view_id = 0 and trace_id in (select trace_id from loads)
        )
    group by project_id, trace_id
),

parts as (
    select
        *,
        view_id as owner_id,
        -- One number for the moment and the item: less to hold for each view than both.
        bitOr(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(occurred_at)), 128), toUInt256(reinterpretAsUInt128(item_id))) as part_order,
        if(is_load, toStartOfHour(occurred_at), toDateTime(0, 'UTC')) as load_hour
    from parts_in_reach
    where view_id != 0 and view_id in (select view_id from loads)
    union all
    select
        parts_in_reach.*,
        -- A part that names its trace alone belongs to the view of that trace that was open when it happened.
        openings.view_ids[greatest(1, arrayLastIndex(start -> start <= parts_in_reach.started_at_ms, openings.starts))] as owner_id,
        bitOr(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(occurred_at)), 128), toUInt256(reinterpretAsUInt128(item_id))) as part_order,
        toDateTime(0, 'UTC') as load_hour
    from parts_in_reach
    inner join openings on parts_in_reach.project_id = openings.project_id and parts_in_reach.trace_id = openings.trace_id
    where parts_in_reach.view_id = 0
),

timings as (
    -- Copies of a part say the same: of what is largest, last or covered they change nothing.
    select
        owners.load_key as load_key,
        any(owners.started_at_ms) as started_at_ms,
        round(max(parts.load_at_ms) - started_at_ms, 3) as load_ms,
        -- The SDK told of the navigation when the span of the view ended, and no load event was over by then.
        if(
            isNaN(load_ms)
            and any(owners.navigation_type) = 'navigate'
            and not (isNaN(max(parts.response_at_ms)) and isNaN(max(parts.dom_ready_at_ms)) and isNaN(max(parts.ttfb_ms))),
            round(max(parts.duration_ms), 3),
            nan
        ) as unended_ms,
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
            argMaxIf(parts.lcp_ms, parts.part_order, not isNaN(parts.lcp_ms))
        ) as lcp_ms,
        argMaxIf((parts.lcp_url, parts.lcp_element, parts.lcp_size), parts.part_order, not isNaN(parts.lcp_ms)) as lcp,
        tupleElement(lcp, 1) as lcp_url,
        max(parts.cls) as cls,
        argMaxIf(parts.cls_sources, (parts.cls, parts.part_order), not isNaN(parts.cls)) as cls_sources,
        max(parts.inp_ms) as inp_ms,
        argMaxIf((parts.inp_target, parts.inp_at_ms), (parts.inp_ms, parts.part_order), not isNaN(parts.inp_ms)) as interaction,
        tupleElement(interaction, 2) as inp_at_ms,
        -- A copy of a frame is the same frame.
        groupArrayArray(parts.frames) as frames,
        groupArrayArray(tupleElement(parts.resource_intervals, 1)) as begun_ms,
        groupArrayArray(tupleElement(parts.resource_intervals, 2)) as ended_ms,
        if(empty(begun_ms), nan, round(arrayReduce('intervalLengthSum', begun_ms, ended_ms), 3)) as resources_ms,
        groupArrayIf(cityHash64(parts.item_id), notEmpty(parts.call_ms)) as called_in,
        groupArrayIf(length(parts.call_ms), notEmpty(parts.call_ms)) as call_counts,
        groupArrayArray(parts.call_ms) as calls,
        -- Calls of a copy of a part are the same calls.
        if(
            length(call_counts) = 1,
            calls,
            arrayFilter(
                (value, number) -> number = 1,
                calls,
                arrayFlatten(arrayMap((number, size) -> arrayWithConstant(size, number), arrayEnumerateUniq(called_in), call_counts))
            )
        ) as api_ms
    from parts
    inner join (
        select
            project_id,
            view_id,
            received_at,
            navigation_type,
            hour,
            load_key,
            started_at_ms
        from loads
    ) as owners on parts.project_id = owners.project_id and parts.owner_id = owners.view_id
    where
        parts.navigation_type in ('', owners.navigation_type)
        -- What opens the view in another hour is of that hour.
        and (parts.load_hour = toDateTime(0, 'UTC') or parts.load_hour = owners.hour)
        and parts.received_at >= owners.received_at - toIntervalDay(2)
        and parts.received_at <= owners.received_at + toIntervalDay(2)
    group by owners.load_key
),

images_wanted as (
    -- SDKs before 10 leave the page's own host out of the URLs of its resources.
    select
        view_id,
        cityHash64(arrayJoin([lcp_url, path(lcp_url)])) as url_hash
    from parts_in_reach
    where lcp_url not in ('', 'data:') and view_id in (select view_id from loads)
),

files as (
    select
        project_id,
        view_id,
        groupArrayIf(
            (cityHash64(url), page_resources.received_at, start_us / 1000, duration_ms),
            (view_id, cityHash64(url)) in (select view_id, url_hash from images_wanted)
        ) as images,
        -- A number is quicker to collect than an id.
        groupArray(cityHash64(item_id)) as items,
        groupArray(page_resources.received_at) as received,
        groupArray(transform(page_resources.type, ['script', 'style', 'image', 'font'], [1, 2, 3, 4], 0)) as types,
        -- From the cache or not, a file weighs the same.
        groupArray(if(body_bytes > 0, body_bytes, transfer_bytes)) as sizes
    from errata_raw.page_resources
    where
        ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
        and view_id in (select view_id from loads)
    group by project_id, view_id
),

weights as (
    select
        owners.load_key as load_key,
        -- Copies of a resource say the same: any of those that count.
        arrayMap(
            (item, moment) -> if(
                moment between owners.received_at - toIntervalDay(2) and owners.received_at + toIntervalDay(2),
                item,
                0
            ),
            files.items,
            files.received
        ) as items,
        arrayFilter(
            image -> tupleElement(image, 2) between owners.received_at - toIntervalDay(2) and owners.received_at + toIntervalDay(2),
            files.images
        ) as images,
        arrayMap((item, number) -> item != 0 and number = 1, items, arrayEnumerateUniq(items)) as is_counted,
        arrayMap((size, is_one) -> size * is_one, files.sizes, is_counted) as counted_sizes,
        arraySum(is_counted) as request_count,
        arraySum(counted_sizes) as total_bytes,
        arraySum(arrayMap((size, type) -> size * (type = 1), counted_sizes, files.types)) as script_bytes,
        arraySum(arrayMap((size, type) -> size * (type = 2), counted_sizes, files.types)) as style_bytes,
        arraySum(arrayMap((size, type) -> size * (type = 3), counted_sizes, files.types)) as image_bytes,
        arraySum(arrayMap((size, type) -> size * (type = 4), counted_sizes, files.types)) as font_bytes
    from files
    inner join (
        select
            project_id,
            view_id,
            received_at,
            load_key
        from loads
    ) as owners on files.project_id = owners.project_id and files.view_id = owners.view_id
),

explained as (
    -- The rules of errata/performance/causes.py.
    select
        timings.*,
        weights.* except (load_key, items, images, is_counted, counted_sizes),
        arrayMap(
            frame -> least(frame.start_ms + frame.duration_ms, timings.inp_at_ms + timings.inp_ms) - greatest(frame.start_ms, timings.inp_at_ms),
            timings.frames
        ) as shared_ms,
        -- The frame that took most of the wait, half of it or more.
        arrayElement(arraySort((frame, shared) -> (-shared, frame.start_ms), timings.frames, shared_ms), 1) as frame,
        notEmpty(shared_ms) and timings.inp_ms > 0 and arrayMax(shared_ms) >= 0.5 * timings.inp_ms as has_frame,
        has_frame
        and frame.invoker_type = 'event-listener'
        and match(
            frame.invoker,
            '\\.on(?:click|dblclick|auxclick|contextmenu|input|change|submit|beforeinput|pointer(?:down|up|cancel)|mouse(?:down|up)|touch(?:start|end|cancel)|key(?:down|up|press)|drag(?:start|end)|drop)$'
        ) as is_of_handlers,
        round(greatest(0., frame.start_ms - timings.inp_at_ms), 3) as input_delay_ms,
        round(greatest(0., timings.inp_at_ms + timings.inp_ms - frame.start_ms - frame.duration_ms), 3) as presentation_ms,
        arrayElement(
            arraySort(
                image -> tupleElement(image, 3),
                arrayFilter(
                    image -> tupleElement(image, 1) in (cityHash64(timings.lcp_url), cityHash64(path(timings.lcp_url))),
                    weights.images
                )
            ),
            1
        ) as image,
        tupleElement(timings.lcp, 2) as lcp_element,
        timings.lcp_url not in ('', 'data:') as has_image,
        round(greatest(timings.ttfb_ms, tupleElement(image, 3) - timings.started_at_ms), 3) as requested_ms,
        round(
            least(
                greatest(requested_ms, tupleElement(image, 3) + tupleElement(image, 4) - timings.started_at_ms),
                greatest(requested_ms, timings.lcp_ms)
            ),
            3
        ) as loaded_ms,
        multiIf(
            isNaN(timings.ttfb_ms), [nan, nan, nan, nan],
            not has_image and lcp_element != '', [timings.ttfb_ms, 0., 0., round(greatest(0., timings.lcp_ms - timings.ttfb_ms), 3)],
            not has_image or tupleElement(image, 3) = 0, [timings.ttfb_ms, nan, nan, nan],
            [
                timings.ttfb_ms,
                round(requested_ms - timings.ttfb_ms, 3),
                round(loaded_ms - requested_ms, 3),
                round(greatest(0., timings.lcp_ms - loaded_ms), 3)
            ]
        ) as lcp_parts,
        arrayConcat(
            if(
                isNaN(timings.inp_ms),
                [],
                [(
                    'inp_ms',
                    tupleElement(timings.interaction, 1),
                    '',
                    if(has_frame, frame.invoker, ''),
                    if(has_frame, frame.file, ''),
                    if(has_frame, frame.function, ''),
                    if(has_frame, frame.position, -1),
                    timings.inp_ms,
                    timings.inp_ms > 200,
                    if(
                        is_of_handlers,
                        [input_delay_ms, round(greatest(0., timings.inp_ms - input_delay_ms - presentation_ms), 3), presentation_ms],
                        [nan, nan, nan]
                    )
                )]
            ),
            if(
                isNaN(timings.lcp_ms),
                [],
                [(
                    'lcp_ms',
                    lcp_element,
                    if(has_image, timings.lcp_url, ''),
                    '',
                    '',
                    '',
                    -1,
                    timings.lcp_ms,
                    timings.lcp_ms > 2500,
                    arrayPushBack(lcp_parts, tupleElement(timings.lcp, 3))
                )]
            ),
            if(
                isNaN(timings.cls),
                [],
                [('cls', arrayElement(timings.cls_sources, 1), '', '', '', '', -1, timings.cls, timings.cls > 0.1, [])]
            )
        ) as causes
    from timings
    left join weights on timings.load_key = weights.load_key
)

select
    loads.* except (load_key),
    explained.load_ms as load_ms,
    explained.unended_ms as unended_ms,
    explained.ttfb_ms as ttfb_ms,
    explained.dom_ready_ms as dom_ready_ms,
    explained.fp_ms as fp_ms,
    explained.fcp_ms as fcp_ms,
    explained.lcp_ms as lcp_ms,
    explained.lcp_url as lcp_url,
    explained.cls as cls,
    explained.inp_ms as inp_ms,
    explained.causes as causes,
    explained.resources_ms as resources_ms,
    explained.api_ms as api_ms,
    explained.request_count as request_count,
    explained.total_bytes as total_bytes,
    explained.script_bytes as script_bytes,
    explained.style_bytes as style_bytes,
    explained.image_bytes as image_bytes,
    explained.font_bytes as font_bytes,
    {watermark:DateTime64(3, 'UTC')} as computed_through,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(loads.hour)) as version
from explained
inner join loads on explained.load_key = loads.load_key
settings enable_materialized_cte = 1, query_plan_join_swap_table = 'false', max_bytes_before_external_group_by = 800000000
