-- purpose: the interactions of a trace that do not name their view
-- parameters: trace_id, since, until (moments of receipt, half-open), limit
-- returns: one row per delivered copy of an interaction, the slowest first: project_id, item_id, occurred_at, received_at, started_at_ms, inp_ms, inp_target, inp_type, inp_at_ms

select
    project_id,
    item_id,
    occurred_at,
    received_at,
    started_at_ms,
    inp_ms,
    inp_target,
    inp_type,
    inp_at_ms
from errata_raw.page_views
where
    view_id = 0
    and trace_id = {trace_id:UUID}
    and received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
    and not isNaN(inp_ms)
order by inp_ms desc
limit {limit:UInt32}
