-- purpose: the hours whose page loads got parts or resources since a mart's last build, or lost a part to a load of the same trace that came later. A
--   part dirties the hour of its view's load; one that names its trace alone those of all loads of the trace
-- parameters: since, until (moments of receipt, half-open), oldest (hours before it are never rebuilt)
-- returns: one row per hour and UTC day of receipt: window_start, first_received_at, last_received_at, row_count

-- One number for a view, or a trace, and its project: less to hold. Two of 64 bits are practically never the same.
with parts as (
    select
        view_id = 0 as has_trace_alone,
        cityHash64(project_id, view_id) as view,
        cityHash64(project_id, trace_id) as trace,
        received_at
    from errata_raw.page_views
    where
        not is_load
        and received_at >= {since:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {until:DateTime64(3, 'UTC')}
),

later_parts as (
    select *
    from parts
    where received_at >= {since:DateTime64(3, 'UTC')}
),

earlier_parts as (
    select *
    from parts
    where received_at < {since:DateTime64(3, 'UTC')}
),

loads as (
    select
        cityHash64(project_id, view_id) as view,
        cityHash64(project_id, trace_id) as trace,
        toStartOfHour(occurred_at) as window_start,
        received_at
    from errata_raw.page_views
    where
        is_load
        and received_at >= {since:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {until:DateTime64(3, 'UTC')}
        and occurred_at >= {oldest:DateTime('UTC')}
),

${part:loads_received},

received as (
    select
        window_start,
        received_at,
        1 as part_count
    from new_loads
    union all
    select
        loads.window_start as window_start,
        parts.received_at as received_at,
        1 as part_count
    from loads
    inner join (select * from later_parts where not has_trace_alone) as parts on loads.view = parts.view
    where parts.received_at <= loads.received_at + toIntervalDay(2)
    union all
    select
        loads.window_start as window_start,
        parts.received_at as received_at,
        1 as part_count
    from loads
    inner join (select * from later_parts where has_trace_alone) as parts on loads.trace = parts.trace
    where parts.received_at <= loads.received_at + toIntervalDay(2)
    union all
    select
        loads.window_start as window_start,
        resources.received_at as received_at,
        0 as part_count
    from (select * from all_resources where received_at >= {since:DateTime64(3, 'UTC')}) as resources
    inner join loads on resources.view = loads.view
    where resources.received_at <= loads.received_at + toIntervalDay(2)
    union all
    -- What came before its load.
    select
        first_loads.window_start as window_start,
        parts.received_at as received_at,
        1 as part_count
    from (select * from earlier_parts where not has_trace_alone) as parts
    inner join first_loads on parts.view = first_loads.view
    where parts.received_at >= first_loads.received_at - toIntervalDay(2)
    union all
    select
        first_loads.window_start as window_start,
        parts.received_at as received_at,
        1 as part_count
    from (select * from earlier_parts where has_trace_alone) as parts
    inner join first_loads on parts.trace = first_loads.trace
    where parts.received_at >= first_loads.received_at - toIntervalDay(2)
    union all
    select
        first_loads.window_start as window_start,
        resources.received_at as received_at,
        0 as part_count
    from (select * from all_resources where received_at < {since:DateTime64(3, 'UTC')}) as resources
    inner join first_loads on resources.view = first_loads.view
    where resources.received_at >= first_loads.received_at - toIntervalDay(2)
    union all
    -- A part that names its trace alone belongs to the load that was open: a load that comes later may take it from another one.
    select
        loads.window_start as window_start,
        openings.received_at as received_at,
        0 as part_count
    from loads
    inner join (
        select
            trace,
            max(first_loads.received_at) as received_at
        from first_loads
        where trace in (select trace from parts where has_trace_alone)
        group by trace
    ) as openings on loads.trace = openings.trace
    where openings.received_at <= loads.received_at + toIntervalDay(2)
)

select
    window_start,
    min(received_at) as first_received_at,
    max(received_at) as last_received_at,
    sum(part_count) as row_count
from received
group by window_start, toDate(received_at)
order by window_start, first_received_at
