-- dirty_hours_of_page_views
-- purpose: the hours whose page loads got parts or resources since a mart's last build; a part dirties the hour of its view's load
-- parameters: since, until (moments of receipt, half-open), oldest (hours before it are never rebuilt)
-- returns: one row per hour and UTC day of receipt: window_start, first_received_at, last_received_at, row_count
-- inputs:  errata_raw.page_views, errata_raw.page_resources

with arrived as (
    select
        project_id,
        view_id,
        trace_id,
        is_load,
        navigation_type,
        occurred_at,
        received_at
    from errata_raw.page_views
    where
        received_at >= {since:DateTime64(3, 'UTC')}
        and received_at < {until:DateTime64(3, 'UTC')}
),

later_parts as (
    select
        project_id,
        view_id,
        trace_id,
        received_at
    from arrived
    where not is_load
),

loads as (
    select
        project_id,
        view_id,
        trace_id,
        toStartOfHour(occurred_at) as window_start,
        received_at
    from errata_raw.page_views
    where
        is_load
        and navigation_type = 'navigate'
        and received_at >= {since:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {until:DateTime64(3, 'UTC')}
        and occurred_at >= {oldest:DateTime('UTC')}
),

received as (
    select
        toStartOfHour(occurred_at) as window_start,
        received_at,
        1 as part_count
    from arrived
    where is_load and navigation_type = 'navigate' and occurred_at >= {oldest:DateTime('UTC')}
    union all
    select
        loads.window_start as window_start,
        parts.received_at as received_at,
        1 as part_count
    from (select * from later_parts where view_id != 0) as parts
    inner join loads on parts.project_id = loads.project_id and parts.view_id = loads.view_id
    where parts.received_at <= loads.received_at + toIntervalDay(2)
    union all
    select
        loads.window_start as window_start,
        parts.received_at as received_at,
        1 as part_count
    from (select * from later_parts where view_id = 0) as parts
    inner join loads on parts.project_id = loads.project_id and parts.trace_id = loads.trace_id
    where parts.received_at <= loads.received_at + toIntervalDay(2)
    union all
    select
        loads.window_start as window_start,
        resources.first_received_at as received_at,
        0 as part_count
    from (
        select
            project_id,
            view_id,
            min(received_at) as first_received_at
        from errata_raw.page_resources
        where
            received_at >= {since:DateTime64(3, 'UTC')}
            and received_at < {until:DateTime64(3, 'UTC')}
        group by project_id, view_id, toDate(received_at)
    ) as resources
    inner join loads on resources.project_id = loads.project_id and resources.view_id = loads.view_id
    where resources.first_received_at <= loads.received_at + toIntervalDay(2)
)

select
    window_start,
    min(received_at) as first_received_at,
    max(received_at) as last_received_at,
    sum(part_count) as row_count
from received
group by window_start, toDate(received_at)
order by window_start, first_received_at
