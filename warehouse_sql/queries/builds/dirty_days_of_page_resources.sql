-- purpose: the days whose page views or their resources came in since a mart's last build; a resource dirties the day of its view's load
-- parameters: since, until (moments of receipt, half-open), oldest (days before it are never rebuilt)
-- returns: one row per day and UTC day of receipt: window_start, first_received_at, last_received_at, row_count

-- One number for a view and its project: less to hold of each, and of 64 bits as good as never the same of two.
with loads as (
    select
        cityHash64(project_id, view_id) as view,
        toStartOfDay(occurred_at) as window_start,
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
        received_at
    from new_loads
    union all
    select
        loads.window_start as window_start,
        resources.received_at as received_at
    from (select * from all_resources where received_at >= {since:DateTime64(3, 'UTC')}) as resources
    inner join loads on resources.view = loads.view
    where resources.received_at <= loads.received_at + toIntervalDay(2)
    union all
    -- What came before its load.
    select
        first_loads.window_start as window_start,
        resources.received_at as received_at
    from (select * from all_resources where received_at < {since:DateTime64(3, 'UTC')}) as resources
    inner join first_loads on resources.view = first_loads.view
    where resources.received_at >= first_loads.received_at - toIntervalDay(2)
)

select
    window_start,
    min(received_at) as first_received_at,
    max(received_at) as last_received_at,
    count() as row_count
from received
group by window_start, toDate(received_at)
order by window_start, first_received_at
