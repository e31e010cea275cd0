-- errata_mart.page_metrics_hourly
-- purpose: every metric of page loads by hour and device, sizes too: what budgets are evaluated from
-- grain:   one row per project, metric, page, hour, environment and device
-- key:     project_id, metric, page, hour, environment, device
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_raw.page_views, errata_raw.page_resources

create table errata_mart.page_metrics_hourly
(
    project_id UInt32,
    metric LowCardinality(String) comment 'view (counted only), load_ms, ttfb_ms, dom_ready_ms, fp_ms, fcp_ms, lcp_ms, cls, inp_ms, resources_ms, api_ms (one a call), script_bytes, style_bytes, image_bytes, font_bytes, total_bytes, request_count',
    page LowCardinality(String),
    hour DateTime('UTC') comment 'of the views'' load parts; soft navigations and restores are not counted',
    environment LowCardinality(String),
    device LowCardinality(String) comment 'desktop, mobile, tablet, bot; empty: unknown',
    sample_count UInt64,
    value_sum Float64,
    values Array(Float64) comment 'all of them, ascending, below 1,000 samples; else empty',
    value_state AggregateFunction(quantileTDigest, Float64) comment 'from 1,000 samples on; else empty',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here',
    version UInt64 comment 'of the build: readers see those that are published'
)
engine = MergeTree
partition by (toDate(hour), version)
order by (project_id, metric, page, hour, environment, device)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with opened as (
    select
        project_id,
        item_id,
        view_id,
        trace_id,
        toStartOfHour(occurred_at) as hour,
        received_at,
        navigation_type,
        page,
        environment,
        device,
        -- A number is quicker to join and to group by than what it stands for. A slice is a range of them.
        cityHash64(project_id, hour, page, environment, device) as cell,
        started_at_ms
    from errata_raw.page_views
    where
        is_load
        and navigation_type = 'navigate'
        and ({is_every_window:Bool} or toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))})
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime64(3, 'UTC')}
        -- Skips partitions: the windows' recorded arrivals. Where the bounds say it all, no row is looked up.
        and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

repeated as materialized (
    select
        project_id,
        item_id
    from opened
    group by project_id, item_id
    having count() > 1
),

loads as materialized (
    -- Of a part's copies of one hour the one received first counts. Few have any: only these are sorted.
    select *
    from opened
    where
        cell between {slice_from:UInt64} and {slice_to:UInt64}
        and (project_id, item_id) not in (select project_id, item_id from repeated)
    union all
    select *
    from (
        select *
        from opened
        where (project_id, item_id) in (select project_id, item_id from repeated)
        order by received_at, started_at_ms, cell
        limit 1 by project_id, hour, item_id
    ) as first_received
    where cell between {slice_from:UInt64} and {slice_to:UInt64}
),

recent as (
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
        arraySort(groupUniqArray((started_at_ms, view_id))) as opened,
        tupleElement(opened, 1) as starts,
        tupleElement(opened, 2) as view_ids
    from errata_raw.page_views
    where
        is_load
        and ({is_every_day:Bool} or toDate(received_at) in {near_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {received_to:DateTime64(3, 'UTC')} + toIntervalDay(2)
        and received_at < {watermark:DateTime64(3, 'UTC')}
        and trace_id in (
            select trace_id
            from recent
            where view_id = 0 and trace_id in (select trace_id from loads)
        )
    group by project_id, trace_id
),

parts as (
    select
        project_id,
        view_id as owner_id,
        item_id,
        -- One number for the moment and the item: less to hold for each view than both.
        bitOr(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(occurred_at)), 128), toUInt256(reinterpretAsUInt128(item_id))) as place,
        received_at,
        if(is_load, toStartOfHour(occurred_at), toDateTime(0, 'UTC')) as opened_in,
        navigation_type,
        load_at_ms,
        dom_ready_at_ms,
        response_at_ms,
        ttfb_ms,
        fp_ms,
        fcp_ms,
        lcp_ms,
        cls,
        inp_ms,
        resource_intervals,
        call_ms
    from recent
    where view_id != 0 and view_id in (select view_id from loads)
    union all
    select
        recent.project_id as project_id,
        -- A part that names its trace alone belongs to the view of that trace that was open when it happened.
        openings.view_ids[greatest(1, arrayLastIndex(start -> start <= recent.started_at_ms, openings.starts))] as owner_id,
        recent.item_id as item_id,
        bitOr(bitShiftLeft(toUInt256(toUnixTimestamp64Milli(occurred_at)), 128), toUInt256(reinterpretAsUInt128(item_id))) as place,
        recent.received_at as received_at,
        toDateTime(0, 'UTC') as opened_in,
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
    inner join openings on recent.project_id = openings.project_id and recent.trace_id = openings.trace_id
    where recent.view_id = 0
),

views as (
    -- Copies of a part say the same: of what is largest, last or covered they change nothing.
    select
        any(owners.project_id) as project_id,
        any(owners.view_id) as view_id,
        any(owners.received_at) as received_at,
        owners.cell as cell,
        any(owners.started_at_ms) as started_at_ms,
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
            argMaxIf(parts.lcp_ms, parts.place, not isNaN(parts.lcp_ms))
        ) as lcp_ms,
        max(parts.cls) as cls,
        max(parts.inp_ms) as inp_ms,
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
            item_id,
            view_id,
            received_at,
            navigation_type,
            hour,
            cell,
            started_at_ms
        from loads
    ) as owners on parts.project_id = owners.project_id and parts.owner_id = owners.view_id
    where
        parts.navigation_type in ('', owners.navigation_type)
        -- What opens the view in another hour is of that hour.
        and (parts.opened_in = toDateTime(0, 'UTC') or parts.opened_in = owners.hour)
        and parts.received_at >= owners.received_at - toIntervalDay(2)
        and parts.received_at <= owners.received_at + toIntervalDay(2)
    group by owners.cell, owners.item_id
),

files as (
    select
        project_id,
        view_id,
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

weighed as (
    select
        views.cell as cell,
        views.load_ms as load_ms,
        views.ttfb_ms as ttfb_ms,
        views.dom_ready_ms as dom_ready_ms,
        views.fp_ms as fp_ms,
        views.fcp_ms as fcp_ms,
        views.lcp_ms as lcp_ms,
        views.cls as cls,
        views.inp_ms as inp_ms,
        views.resources_ms as resources_ms,
        views.api_ms as api_ms,
        -- Copies of a resource say the same: any of those that count.
        arrayMap(
            (item, moment) -> if(
                moment between views.received_at - toIntervalDay(2) and views.received_at + toIntervalDay(2),
                item,
                0
            ),
            files.items,
            files.received
        ) as items,
        arrayMap((item, number) -> item != 0 and number = 1, items, arrayEnumerateUniq(items)) as is_counted,
        arraySum(is_counted) as request_count,
        arrayMap((size, is_one) -> size * is_one, files.sizes, is_counted) as counted_sizes,
        arraySum(counted_sizes) as total_bytes,
        arraySum(arrayMap((size, type) -> size * (type = 1), counted_sizes, files.types)) as script_bytes,
        arraySum(arrayMap((size, type) -> size * (type = 2), counted_sizes, files.types)) as style_bytes,
        arraySum(arrayMap((size, type) -> size * (type = 3), counted_sizes, files.types)) as image_bytes,
        arraySum(arrayMap((size, type) -> size * (type = 4), counted_sizes, files.types)) as font_bytes
    from views
    left join files on views.project_id = files.project_id and views.view_id = files.view_id
),

samples as (
    -- Spread into metrics by cell, not by view.
    select
        cell,
        arrayJoin([
            ('view', arrayWithConstant(count(), toFloat64(0))),
            ('load_ms', groupArrayIf(load_ms, isFinite(load_ms))),
            ('ttfb_ms', groupArrayIf(ttfb_ms, isFinite(ttfb_ms))),
            ('dom_ready_ms', groupArrayIf(dom_ready_ms, isFinite(dom_ready_ms))),
            ('fp_ms', groupArrayIf(fp_ms, isFinite(fp_ms))),
            ('fcp_ms', groupArrayIf(fcp_ms, isFinite(fcp_ms))),
            ('lcp_ms', groupArrayIf(lcp_ms, isFinite(lcp_ms))),
            ('cls', groupArrayIf(cls, isFinite(cls))),
            ('inp_ms', groupArrayIf(inp_ms, isFinite(inp_ms))),
            ('resources_ms', groupArrayIf(resources_ms, isFinite(resources_ms))),
            ('api_ms', arrayFilter(value -> isFinite(value), groupArrayArray(api_ms))),
            -- A view without any resource told of none: it weighs nothing that is known.
            ('request_count', groupArrayIf(toFloat64(request_count), request_count > 0)),
            ('total_bytes', groupArrayIf(toFloat64(total_bytes), request_count > 0)),
            ('script_bytes', groupArrayIf(toFloat64(script_bytes), request_count > 0)),
            ('style_bytes', groupArrayIf(toFloat64(style_bytes), request_count > 0)),
            ('image_bytes', groupArrayIf(toFloat64(image_bytes), request_count > 0)),
            ('font_bytes', groupArrayIf(toFloat64(font_bytes), request_count > 0))
        ]) as measure
    from weighed
    group by cell
),

cells as (
    select
        cell,
        tupleElement(measure, 1) as metric,
        arraySort(tupleElement(measure, 2)) as sorted,
        metric != 'view' and length(sorted) >= 1000 as is_digested,
        length(sorted) as sample_count,
        arraySum(sorted) as value_sum,
        if(is_digested or metric = 'view', [], sorted) as values,
        -- Fed in ascending order by one thread: the same samples always give the same state.
        arrayReduce('quantileTDigestState', if(is_digested, sorted, [])) as value_state
    from samples
    where notEmpty(sorted)
)

select
    places.project_id as project_id,
    metric,
    places.page as page,
    places.hour as hour,
    places.environment as environment,
    places.device as device,
    sample_count,
    value_sum,
    values,
    value_state,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(hour)) as version
from cells
inner join (
    select
        cell,
        any(loads.project_id) as project_id,
        any(loads.hour) as hour,
        any(loads.page) as page,
        any(loads.environment) as environment,
        any(loads.device) as device
    from loads
    group by cell
) as places on cells.cell = places.cell
settings enable_materialized_cte = 1, query_plan_join_swap_table = 'false', max_bytes_before_external_group_by = 800000000
