-- loads_compared
-- purpose: the page loads of two releases that are compared, with their timings: a sample by hash, as large as each page's share says
-- parameters: project_id, environment, after, before (releases), began, since, until, received_from, received_until, pages, shares (of each page: loads
--   whose hash is below it, in millionths)
-- returns: one row per load: view_id, is_after, page, device, occurred_at, chosen_by (0 to 999,999), user_hash, and the metrics (nan: not measured)
-- inputs:  errata_raw.page_views

with loads as materialized (
    -- Of copies of a part the one received first counts.
    select
        item_id,
        view_id,
        release = {after:String} as is_after,
        page,
        device,
        occurred_at,
        received_at,
        started_at_ms,
        user_hash,
        cityHash64(item_id) % 1000000 as chosen_by
    from errata_raw.page_views
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and release in ({after:String}, {before:String})
        and is_load
        and navigation_type = 'navigate'
        and view_id != 0
        and occurred_at >= if(release = {after:String}, {began:DateTime64(3, 'UTC')}, {since:DateTime64(3, 'UTC')})
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_until:DateTime64(3, 'UTC')}
        and chosen_by < arrayElement({shares:Array(UInt32)}, indexOf({pages:Array(String)}, page::String))
    order by received_at, item_id
    limit 1 by item_id
),

parts as (
    select
        view_id,
        item_id,
        navigation_type,
        occurred_at,
        received_at,
        load_at_ms,
        response_at_ms,
        ttfb_ms,
        fcp_ms,
        lcp_ms,
        cls,
        inp_ms,
        call_ms
    from errata_raw.page_views
    where
        project_id = {project_id:UInt32}
        and view_id in (select view_id from loads)
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_until:DateTime64(3, 'UTC')}
)

select
    loads.view_id as view_id,
    any(loads.is_after) as is_after,
    any(loads.page)::String as page,
    any(loads.device)::String as device,
    toUnixTimestamp64Milli(any(loads.occurred_at)) / 1000 as occurred_at,
    any(loads.chosen_by) as chosen_by,
    any(loads.user_hash) as user_hash,
    round(max(parts.load_at_ms) - any(loads.started_at_ms), 3) as load_ms,
    -- The SDK leaves TTFB out if the page was left before it had loaded; the first byte is known all the same.
    if(
        isNaN(max(parts.ttfb_ms)),
        round(max(parts.response_at_ms) - any(loads.started_at_ms), 3),
        max(parts.ttfb_ms)
    ) as ttfb_ms,
    max(parts.fcp_ms) as fcp_ms,
    if(
        countIf(not isNaN(parts.lcp_ms)) = 0,
        nan,
        argMaxIf(parts.lcp_ms, (parts.occurred_at, parts.item_id), not isNaN(parts.lcp_ms))
    ) as lcp_ms,
    max(parts.cls) as cls,
    max(parts.inp_ms) as inp_ms,
    arrayAvg(arrayFlatten(arrayMap(one -> one.2, groupUniqArrayIf((parts.item_id, parts.call_ms), notEmpty(parts.call_ms))))) as api_ms
from parts
inner join loads on parts.view_id = loads.view_id
where
    parts.navigation_type in ('', 'navigate')
    and parts.received_at >= loads.received_at - toIntervalDay(2)
    and parts.received_at <= loads.received_at + toIntervalDay(2)
group by loads.view_id
order by occurred_at, view_id
settings enable_materialized_cte = 1
