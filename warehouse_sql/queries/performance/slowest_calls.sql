-- purpose: the slowest calls of one endpoint on one side, each with the page load that made it where one is known by trace
-- definition: Single recorded calls of this endpoint, the slowest first.
-- parameters: since, until, received_before, side, method, routes, host (that pages called; empty: any), ${filters_of_days} (empty: all), limit
-- returns: one row per call, the slowest first: when, path, status, duration_ms, trace; view_id (0: unknown) and what is known of its page load

with slowest as materialized (
    select *
    from (
        select
            project_id,
            item_id,
            occurred_at,
            path,
            host,
            status_code,
            duration_ms,
            environment,
            release,
            service,
            server_name,
            trace_id,
            parent_span_id,
            view_id
        from errata_raw.requests
        where
            side = {side:String}
            and method = {method:String}
            and has({routes:Array(String)}, route::String)
            and ({side:String} = 'server' or {host:String} = '' or host = {host:String})
            and occurred_at >= {since:DateTime('UTC')}
            and occurred_at < {until:DateTime64(3, 'UTC')}
            and received_at < {received_before:DateTime64(3, 'UTC')}
            and ${filters_of_days}
        order by received_at, occurred_at
        limit 1 by project_id, item_id
    ) as calls
    order by duration_ms desc, occurred_at desc, item_id
    limit {limit:UInt32}
),

callers as (
    -- The browser's own span of a call that a server answered: what it names as its parent.
    select
        project_id,
        trace_id,
        span_id,
        any(requests.view_id) as view_id
    from errata_raw.requests as requests
    where
        {side:String} = 'server'
        and side = 'page'
        and span_id != 0
        and occurred_at >= {since:DateTime('UTC')} - toIntervalDay(2)
        and (trace_id, span_id) in (
            select
                trace_id,
                parent_span_id
            from slowest
            where trace_id != toUUID('00000000-0000-0000-0000-000000000000')
        )
    group by project_id, trace_id, span_id
),

made as (
    select
        slowest.*,
        if(slowest.view_id != 0, slowest.view_id, callers.view_id) as caller_view_id
    from slowest
    left join callers
        on slowest.project_id = callers.project_id
        and slowest.trace_id = callers.trace_id
        and slowest.parent_span_id = callers.span_id
),

views as (
    select *
    from errata_raw.page_views
    where
        is_load
        and received_at >= {since:DateTime('UTC')} - toIntervalDay(2)
        and view_id != 0
        and view_id in (select caller_view_id from made)
    order by received_at
    limit 1 by project_id, view_id
)

select
    made.occurred_at as occurred_at,
    made.path as path,
    made.host::String as host,
    made.status_code as status_code,
    made.duration_ms as duration_ms,
    made.environment::String as environment,
    made.release::String as release,
    made.service::String as service,
    made.server_name::String as server_name,
    made.trace_id as trace_id,
    views.view_id as view_id,
    views.page::String as page,
    views.device::String as device,
    views.browser::String as browser,
    views.received_at as view_received_at,
    views.trace_id as view_trace_id
from made
left join views on made.project_id = views.project_id and made.caller_view_id = views.view_id
order by duration_ms desc, occurred_at desc, made.item_id
settings enable_materialized_cte = 1
