-- interactions_of_trace
-- purpose: the slowest interaction of a view whose SDK names the trace alone
-- parameters: projects, trace_id, since, until (moments of receipt, half-open), opened_at, closed_at (when it may have happened)
-- returns: one row, none without an interaction: inp_ms, inp_target
-- inputs:  errata_read.page_views

select
    inp_ms,
    inp_target
from errata_read.page_views(projects = {projects:Array(UInt32)})
where
    view_id = 0
    and occurred_at >= {opened_at:DateTime64(3, 'UTC')}
    and occurred_at < {closed_at:DateTime64(3, 'UTC')}
    and trace_id = {trace_id:UUID}
    and received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
    and not isNaN(inp_ms)
order by inp_ms desc
limit 1
