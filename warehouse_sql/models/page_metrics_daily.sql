-- errata_mart.page_metrics_daily
-- purpose: every metric of every page by day: what page figures of any period are counted from
-- grain:   one row per project, day, page, kind of navigation, environment, release and metric
-- key:     project_id, day, page, navigation_type, environment, release, metric
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_raw.page_views

create table errata_mart.page_metrics_daily
(
    project_id UInt32 comment 'the project',
    day Date comment 'UTC day of the views'' load parts',
    page LowCardinality(String) comment 'path with {id} for what varies, or the route''s name',
    navigation_type LowCardinality(String) comment 'navigate, soft-navigation or back-forward-cache',
    environment LowCardinality(String) comment 'of the view',
    release LowCardinality(String) comment 'of the view',
    metric LowCardinality(String) comment 'view (counted only), load_ms, ttfb_ms, dom_ready_ms, fp_ms, fcp_ms, lcp_ms, cls, inp_ms, resources_ms, api_ms (one a call)',
    sample_count UInt64 comment 'views, or calls, with the figure',
    value_sum Float64 comment 'of all samples; milliseconds, for cls without unit',
    values Array(Float64) comment 'all of them, ascending, below 1,000 samples; else empty',
    value_state AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'from 1,000 samples on; else empty',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here',
    version UInt64 comment 'of the build: readers see those that are published'
)
engine = MergeTree
partition by (day, version)
order by (project_id, day, page, navigation_type, environment, release, metric)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with opened as (
    select
        project_id,
        item_id,
        view_id,
        trace_id,
        toDate(occurred_at) as day,
        received_at,
        navigation_type,
        page,
        environment,
        release,
        -- A number is quicker to join and to group by than what it stands for. A slice is a range of them.
        cityHash64(project_id, day, page, navigation_type, environment, release) as cell,
        started_at_ms
    from errata_raw.page_views
    where
        is_load
        and ({is_every_window:Bool} or toStartOfDay(occurred_at) in {windows:Array(DateTime('UTC'))})
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
    -- Of a part's copies of one day the one received first counts. Few have any: only these are sorted.
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
        limit 1 by project_id, day, item_id
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
        if(is_load, toDate(occurred_at), toDate(0)) as opened_on,
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
        toDate(0) as opened_on,
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
            day,
            cell,
            started_at_ms
        from loads
    ) as owners on parts.project_id = owners.project_id and parts.owner_id = owners.view_id
    where
        parts.navigation_type in ('', owners.navigation_type)
        -- What opens the view in another day is of that day.
        and (parts.opened_on = toDate(0) or parts.opened_on = owners.day)
        and parts.received_at >= owners.received_at - toIntervalDay(2)
        and parts.received_at <= owners.received_at + toIntervalDay(2)
    group by owners.cell, owners.item_id
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
            ('api_ms', arrayFilter(value -> isFinite(value), groupArrayArray(api_ms)))
        ]) as measure
    from views
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
        arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(is_digested, sorted, [])) as value_state
    from samples
    where notEmpty(sorted)
)

select
    places.project_id as project_id,
    places.day as day,
    places.page as page,
    places.navigation_type as navigation_type,
    places.environment as environment,
    places.release as release,
    metric,
    sample_count,
    value_sum,
    values,
    value_state,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from cells
inner join (
    select
        cell,
        any(loads.project_id) as project_id,
        any(loads.day) as day,
        any(loads.page) as page,
        any(loads.navigation_type) as navigation_type,
        any(loads.environment) as environment,
        any(loads.release) as release
    from loads
    group by cell
) as places on cells.cell = places.cell
settings enable_materialized_cte = 1, query_plan_join_swap_table = 'false', max_bytes_before_external_group_by = 800000000
