-- purpose: the views of a trace, in the order they opened
-- parameters: trace_id, since, until (moments of receipt, half-open)
-- returns: one row per view and delivered start: project_id, started_at_ms, view_id

select distinct
    project_id,
    started_at_ms,
    view_id
from errata_raw.page_views
where
    is_load
    and trace_id = {trace_id:UUID}
    and received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
order by project_id, started_at_ms, view_id
