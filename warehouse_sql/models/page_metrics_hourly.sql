-- errata_mart.page_metrics_hourly
-- purpose: every metric of page loads by hour and device, sizes too: what budgets are evaluated from
-- grain:   one row per project, metric, page, hour, environment and device
-- key:     project_id, metric, page, hour, environment, device
-- engine:  MergeTree, a partition per day, swapped in whole
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
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
engine = MergeTree
partition by toDate(hour)
order by (project_id, metric, page, hour, environment, device)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with recent as (
    select *
    from errata_raw.page_views
    where
        -- Skips partitions: the windows' recorded first and last arrival, and what may belong to them.
        received_at >= {received_from:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {received_to:DateTime64(3, 'UTC')} + toIntervalDay(2)
        and received_at < {watermark:DateTime64(3, 'UTC')}
),

loads as materialized (
    -- Of copies of a part the one received first counts.
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
        started_at_ms
    from recent
    where
        is_load
        and navigation_type = 'navigate'
        and toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))}
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime('UTC')}
    order by received_at, item_id
    limit 1 by project_id, item_id
),

openings as (
    -- The views of each trace in the order they opened, where a part names its trace alone.
    select
        project_id,
        trace_id,
        arraySort(groupUniqArray((started_at_ms, view_id))) as opened
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
        any(loads.view_id) as view_id,
        any(loads.hour) as hour,
        any(loads.page) as page,
        any(loads.environment) as environment,
        any(loads.device) as device,
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
            multiIf(
                recent.view_id != 0, recent.view_id,
                arrayExists(one -> tupleElement(one, 1) <= recent.started_at_ms, openings.opened),
                tupleElement(arrayLast(one -> tupleElement(one, 1) <= recent.started_at_ms, openings.opened), 2),
                tupleElement(openings.opened[1], 2)
            ) as owner_id,
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
        and parts.received_at >= loads.received_at - toIntervalDay(2)
        and parts.received_at <= loads.received_at + toIntervalDay(2)
    group by loads.project_id, loads.item_id
),

files as (
    -- Copies of a resource say the same. From the cache or not, a file weighs the same.
    select
        project_id,
        view_id,
        item_id,
        min(page_resources.received_at) as first_received_at,
        any(page_resources.type) as type,
        any(if(body_bytes > 0, body_bytes, transfer_bytes)) as bytes
    from errata_raw.page_resources
    where
        received_at >= {received_from:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {received_to:DateTime64(3, 'UTC')} + toIntervalDay(2)
        and received_at < {watermark:DateTime64(3, 'UTC')}
        and view_id in (select view_id from loads)
    group by project_id, view_id, item_id
),

weights as (
    select
        files.project_id as project_id,
        files.view_id as view_id,
        toFloat64(count()) as request_count,
        toFloat64(sum(files.bytes)) as total_bytes,
        toFloat64(sumIf(files.bytes, files.type = 'script')) as script_bytes,
        toFloat64(sumIf(files.bytes, files.type = 'style')) as style_bytes,
        toFloat64(sumIf(files.bytes, files.type = 'image')) as image_bytes,
        toFloat64(sumIf(files.bytes, files.type = 'font')) as font_bytes
    from files
    inner join loads on files.project_id = loads.project_id and files.view_id = loads.view_id
    where
        files.first_received_at >= loads.received_at - toIntervalDay(2)
        and files.first_received_at <= loads.received_at + toIntervalDay(2)
    group by project_id, view_id
),

samples as (
    select
        views.project_id as project_id,
        hour,
        page,
        environment,
        device,
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
            ('api_ms', arrayFlatten(arrayMap(one -> tupleElement(one, 2), calls))),
            -- A view without any resource told of none: it weighs nothing that is known.
            ('request_count', if(weights.request_count > 0, [weights.request_count], [])),
            ('total_bytes', if(weights.request_count > 0, [weights.total_bytes], [])),
            ('script_bytes', if(weights.request_count > 0, [weights.script_bytes], [])),
            ('style_bytes', if(weights.request_count > 0, [weights.style_bytes], [])),
            ('image_bytes', if(weights.request_count > 0, [weights.image_bytes], [])),
            ('font_bytes', if(weights.request_count > 0, [weights.font_bytes], []))
        ]) as measure,
        arrayFilter(value -> isFinite(value), tupleElement(measure, 2)) as measured
    from views
    left join weights on views.project_id = weights.project_id and views.view_id = weights.view_id
),

cells as (
    select
        project_id,
        tupleElement(measure, 1) as metric,
        page,
        hour,
        environment,
        device,
        arraySort(groupArrayArray(measured)) as sorted,
        metric != 'view' and length(sorted) >= 1000 as is_digested,
        length(sorted) as sample_count,
        arraySum(sorted) as value_sum,
        if(is_digested or metric = 'view', [], sorted) as values,
        -- Fed in ascending order by one thread: the same samples always give the same state.
        arrayReduce('quantileTDigestState', if(is_digested, sorted, [])) as value_state
    from samples
    where notEmpty(measured)
    group by project_id, hour, page, environment, device, metric
)

select
    project_id,
    metric,
    page,
    hour,
    environment,
    device,
    sample_count,
    value_sum,
    values,
    value_state,
    {watermark:DateTime64(3, 'UTC')} as built_through
from cells
settings enable_materialized_cte = 1, max_bytes_before_external_group_by = 150000000
