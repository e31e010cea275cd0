-- interactions_of_trace
-- purpose: the interactions that name their trace alone, of the view of the trace that was open when they happened, as page_loads has them
-- parameters: trace_id, view_id, since, until (moments of receipt, half-open), limit
-- returns: one row per delivered copy of an interaction, the slowest first: project_id, received_at, inp_ms, inp_target
-- inputs:  errata_raw.page_views

with openings as (
    select
        project_id,
        arraySort(groupUniqArray((started_at_ms, view_id))) as openings_in_order,
        tupleElement(openings_in_order, 1) as starts,
        tupleElement(openings_in_order, 2) as view_ids
    from errata_raw.page_views
    where
        is_load
        and trace_id = {trace_id:UUID}
        and received_at >= {since:DateTime64(3, 'UTC')}
        and received_at < {until:DateTime64(3, 'UTC')}
    group by project_id
)

select
    parts.project_id as project_id,
    parts.received_at as received_at,
    parts.inp_ms as inp_ms,
    parts.inp_target as inp_target
from errata_raw.page_views as parts
inner join openings on parts.project_id = openings.project_id
where
    parts.view_id = 0
    and parts.trace_id = {trace_id:UUID}
    and parts.received_at >= {since:DateTime64(3, 'UTC')}
    and parts.received_at < {until:DateTime64(3, 'UTC')}
    and not isNaN(parts.inp_ms)
    and openings.view_ids[greatest(1, arrayLastIndex(start -> start <= parts.started_at_ms, openings.starts))] = {view_id:UInt64}
order by inp_ms desc
limit {limit:UInt32}
