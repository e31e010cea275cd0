-- loads_looked_at
-- purpose: page loads whose view ids are the lowest of each quarter of all ids: a fair share of them, read from four places
-- parameters: since, last_of_quarter, environment, release, device, browser (empty: all), limit
-- returns: one row per load: where and whose it was, when it arrived, its timings and vitals (nan: not measured)
-- inputs:  errata_raw.page_views

with raw as (
    select *
    from errata_raw.page_views
    where
        received_at >= {since:DateTime('UTC')} - toIntervalDay(2)
        and view_id > 0
        -- Span ids are random but in their first two bits, which are 10 where an SDK takes them from a UUID.
        and (
            view_id <= {last_of_quarter:UInt64}
            or view_id between 4611686018427387904 and 4611686018427387904 + {last_of_quarter:UInt64}
            or view_id between 9223372036854775808 and 9223372036854775808 + {last_of_quarter:UInt64}
            or view_id between 13835058055282163712 and 13835058055282163712 + {last_of_quarter:UInt64}
        )
),

opened as (
    select *
    from raw
    where
        is_load
        and navigation_type = 'navigate'
        and occurred_at >= {since:DateTime('UTC')}
        and ({environment:String} = '' or environment = {environment:String})
        and ({release:String} = '' or release = {release:String})
        and ({device:String} = '' or device = {device:String})
        and ({browser:String} = '' or browser = {browser:String})
    order by received_at, item_id
    limit 1 by project_id, item_id
)

select
    raw.project_id as project_id,
    raw.view_id as view_id,
    any(opened.received_at) as arrived_at,
    any(opened.page) as page_name,
    any(opened.url) as address,
    any(opened.user_hash) as visitor,
    any(opened.started_at_ms) as started_ms,
    round(max(raw.load_at_ms) - started_ms, 3) as load_time_ms,
    if(
        isNaN(max(raw.ttfb_ms)),
        round(max(raw.response_at_ms) - started_ms, 3),
        max(raw.ttfb_ms)
    ) as first_byte_ms,
    max(raw.fcp_ms) as painted_ms,
    if(
        countIf(not isNaN(raw.lcp_ms)) = 0,
        nan,
        argMaxIf(raw.lcp_ms, (raw.occurred_at, raw.item_id), not isNaN(raw.lcp_ms))
    ) as last_lcp_ms,
    argMaxIf(raw.lcp_url, (raw.occurred_at, raw.item_id), not isNaN(raw.lcp_ms)) as last_lcp_url,
    max(raw.cls) as shift
from raw
inner join opened on raw.project_id = opened.project_id and raw.view_id = opened.view_id
where
    raw.navigation_type in ('', 'navigate')
    and raw.received_at >= opened.received_at - toIntervalDay(2)
    and raw.received_at <= opened.received_at + toIntervalDay(2)
group by raw.project_id, raw.view_id
order by raw.view_id
limit {limit:UInt32}
