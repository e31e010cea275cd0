-- purpose: everything that was sent of one page view but its resources
-- parameters: view_id, since, until (moments of receipt, half-open)
-- returns: one row per delivered copy of a part, the opening one first: when and where, timings, vitals, what they are about

select
    project_id,
    item_id,
    is_load,
    occurred_at,
    received_at,
    trace_id,
    navigation_type,
    page,
    url,
    environment,
    release,
    sdk,
    browser,
    browser_version,
    os,
    device,
    country,
    connection,
    replay_id,
    parent_span_id,
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
    lcp_element,
    lcp_url,
    inp_target,
    cls_source,
    lcp_id,
    lcp_size,
    inp_type,
    inp_at_ms,
    cls_sources,
    frames
from errata_raw.page_views
where
    view_id = {view_id:UInt64}
    and received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
order by is_load desc, received_at, item_id
limit 1000
