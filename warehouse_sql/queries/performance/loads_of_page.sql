-- purpose: real loads of a page: the slowest, and those nearest to its median and its p95, rather with resources where one is within a tenth
-- definition: Single page loads of real users: those nearest to the median and to the 95th percentile, and the slowest.
-- parameters: since, until, page, ${filters} (empty: all), p50, p95 (of the page, nan: unknown), limit
-- returns: one row per load: view_id, trace_id, when, who, load_ms, lcp_ms, resource_count (files and calls sent), is_near_p50, is_near_p95, place (1: the slowest), counted (loads looked at)

with placed as (
    select
        view_id,
        trace_id,
        occurred_at,
        received_at,
        environment,
        release,
        device,
        browser,
        load_ms,
        lcp_ms,
        request_count as resource_count,
        row_number() over (order by load_ms desc, view_id asc) as place,
        -- A waterfall of timings alone shows little.
        abs(load_ms - {p50:Float64}) as from_p50,
        abs(load_ms - {p95:Float64}) as from_p95,
        resource_count > 0 and from_p50 <= {p50:Float64} / 10 as is_full_p50,
        resource_count > 0 and from_p95 <= {p95:Float64} / 10 as is_full_p95,
        row_number() over (order by is_full_p50 desc, from_p50 asc, occurred_at desc, view_id asc) as by_p50,
        row_number() over (order by is_full_p95 desc, from_p95 asc, occurred_at desc, view_id asc) as by_p95,
        count() over () as counted
    from errata_mart.page_loads
    where
        navigation_type = 'navigate'
        and page = {page:String}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ${filters}
        and not isNaN(load_ms)
)

select
    * except (from_p50, from_p95, is_full_p50, is_full_p95, by_p50, by_p95),
    by_p50 = 1 and not isNaN({p50:Float64}) as is_near_p50,
    by_p95 = 1 and not isNaN({p95:Float64}) as is_near_p95
from placed
where place <= {limit:UInt32} or is_near_p50 or is_near_p95
order by place
