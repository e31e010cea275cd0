-- loads_of_page
-- purpose: real loads of a page: those nearest to its median and its p95, and the slowest
-- parameters: since, received_from (nothing that opened since then was received before), page, environment, release, device, browser (empty: all), p50, p95 (of the page, nan: unknown), limit
-- returns: one row per load: view_id, its trace, when, who, load_ms, last_lcp_ms, is_near_p50, is_near_p95, place (1: the slowest), counted (loads looked at)
-- inputs:  errata_raw.page_views

with raw as (
    select *
    from errata_raw.page_views
    where received_at >= {received_from:DateTime64(3, 'UTC')}
),

opened as materialized (
    select
        project_id,
        view_id,
        trace_id,
        occurred_at,
        received_at,
        environment,
        release,
        device,
        browser,
        started_at_ms
    from raw
    where
        is_load
        and navigation_type = 'navigate'
        and page = {page:String}
        and occurred_at >= {since:DateTime('UTC')}
        and ({environment:String} = '' or environment = {environment:String})
        and ({release:String} = '' or release = {release:String})
        and ({device:String} = '' or device = {device:String})
        and ({browser:String} = '' or browser = {browser:String})
    order by received_at, item_id
    limit 1 by project_id, item_id
),

timed as (
    select
        raw.project_id as project_id,
        raw.view_id as view_id,
        any(opened.trace_id) as trace_of_view,
        any(opened.occurred_at) as opened_at,
        any(opened.received_at) as arrived_at,
        any(opened.environment) as environment_of_view,
        any(opened.release) as release_of_view,
        any(opened.device) as device_of_view,
        any(opened.browser) as browser_of_view,
        round(max(raw.load_at_ms) - any(opened.started_at_ms), 3) as load_ms,
        if(
            countIf(not isNaN(raw.lcp_ms)) = 0,
            nan,
            argMaxIf(raw.lcp_ms, (raw.occurred_at, raw.item_id), not isNaN(raw.lcp_ms))
        ) as last_lcp_ms
    from raw
    inner join opened on raw.project_id = opened.project_id and raw.view_id = opened.view_id
    where
        raw.navigation_type in ('', 'navigate')
        -- Of parts of other pages nothing else is read.
        and raw.view_id in (select view_id from opened)
    group by raw.project_id, raw.view_id
    having not isNaN(load_ms)
),

placed as (
    select
        *,
        row_number() over (order by load_ms desc, view_id asc) as place,
        row_number() over (order by abs(load_ms - {p50:Float64}) asc, opened_at desc, view_id asc) as by_p50,
        row_number() over (order by abs(load_ms - {p95:Float64}) asc, opened_at desc, view_id asc) as by_p95,
        count() over () as counted
    from timed
)

select
    view_id,
    trace_of_view,
    opened_at,
    arrived_at,
    environment_of_view,
    release_of_view,
    device_of_view,
    browser_of_view,
    load_ms,
    last_lcp_ms,
    by_p50 = 1 and not isNaN({p50:Float64}) as is_near_p50,
    by_p95 = 1 and not isNaN({p95:Float64}) as is_near_p95,
    place,
    counted
from placed
where place <= {limit:UInt32} or is_near_p50 or is_near_p95
order by place
settings enable_materialized_cte = 1
