-- page_view_parts
-- purpose: the parts of page views received in a span: all of them, or those that open views of some days, or those of some views and traces
-- parameters: received_from, received_until, is_all, days (of loads), views (ids), traces (of parts that name their trace alone), limit
-- returns: one row per delivered copy of a part, moments in milliseconds
-- inputs:  errata_raw.page_views

select
    project_id,
    item_id,
    view_id,
    trace_id,
    is_load,
    toUnixTimestamp64Milli(occurred_at) as occurred,
    toUnixTimestamp64Milli(received_at) as received,
    navigation_type,
    page,
    environment,
    release,
    started_at_ms,
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
from errata_raw.page_views
where
    received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_until:DateTime64(3, 'UTC')}
    and (
        {is_all:Bool}
        or (is_load and toDate(occurred_at) in {days:Array(Date)})
        or view_id in {views:Array(UInt64)}
        or (view_id = 0 and trace_id in {traces:Array(UUID)})
    )
limit {limit:UInt32}
