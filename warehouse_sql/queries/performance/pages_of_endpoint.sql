-- purpose: the pages whose loads call an endpoint: how often, and how long the calls of a load take, as of the last build
-- definition: How often page loads call this endpoint, and the time that one page load spends in these calls.
-- parameters: since, until, received_before, method, page_routes, host (empty: any), ${filters} (empty: all)
-- returns: one row per page, the one with most calls first: loads, calling_loads, calls, errors (4xx, 5xx), duration_ms (sum), percentiles of a load's time in calls (50, 75, 95)

with calls as (
    select
        project_id,
        view_id,
        received_at,
        status_code,
        duration_ms
    from errata_raw.requests
    where
        side = 'page'
        and view_id != 0
        and method = {method:String}
        and has({page_routes:Array(String)}, route::String)
        and ({host:String} = '' or host = {host:String})
        -- A view may begin before its call's timestamp, and its parts arrive within two days.
        and occurred_at >= {since:DateTime('UTC')} - toIntervalDay(2)
        and received_at >= {since:DateTime('UTC')} - toIntervalDay(2)
        and received_at < {received_before:DateTime64(3, 'UTC')}
    order by received_at, occurred_at
    limit 1 by project_id, item_id
),

loads as (
    select
        project_id,
        view_id,
        page,
        received_at
    from errata_mart.page_loads
    where
        navigation_type = 'navigate'
        and view_id != 0
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and view_id in (select view_id from calls)
        and ${filters}
),

calling as (
    select
        loads.page as page,
        loads.view_id as view_id,
        count() as call_count,
        countIf(calls.status_code >= 400) as error_count,
        round(sum(calls.duration_ms), 3) as spent_ms
    from calls
    inner join loads on calls.project_id = loads.project_id and calls.view_id = loads.view_id
    where
        calls.received_at >= loads.received_at - toIntervalDay(2)
        and calls.received_at <= loads.received_at + toIntervalDay(2)
    group by page, view_id
),

pages as (
    select
        page,
        count() as load_count
    from errata_mart.page_loads
    where
        navigation_type = 'navigate'
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and page in (select page from calling)
        and ${filters}
    group by page
)

select
    calling.page::String as page_name,
    any(pages.load_count) as loads,
    count() as calling_loads,
    sum(calling.call_count) as calls,
    sum(calling.error_count) as errors,
    round(sum(calling.spent_ms), 3) as duration_ms,
    arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArray(calling.spent_ms)) as percentiles
from calling
inner join pages on calling.page = pages.page
group by page_name
order by calls desc, page_name
