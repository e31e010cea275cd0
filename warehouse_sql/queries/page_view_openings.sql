-- page_view_openings
-- purpose: the views of some traces, to tell by time which of them a part belongs to that names its trace alone
-- parameters: received_from, traces
-- returns: one row per view: project_id, trace_id, started_at_ms, view_id
-- inputs:  errata_raw.page_views

select distinct
    project_id,
    trace_id,
    started_at_ms,
    view_id
from errata_raw.page_views
where
    received_at >= {received_from:DateTime64(3, 'UTC')}
    and is_load
    and trace_id in {traces:Array(UUID)}
