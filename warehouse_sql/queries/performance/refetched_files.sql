-- purpose: files that came over the wire in whole to people who had fetched the same before, while their browser took others from its cache
-- parameters: since, until, ${filters} (empty: all), fewest
-- returns: one row per URL: loads and users that fetched it again, repeats that its cache spared, bytes and gap, one such load

with loads as (
    select *
    from errata_mart.page_loads
    where
        user_hash != 0
        and navigation_type = 'navigate'
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ${filters}
),

files as (
    select *
    from errata_raw.page_resources
    where
        received_at >= {since:DateTime('UTC')} - toIntervalDay(4)
        and view_id in (select view_id from loads)
        and body_bytes > 0
        and type not in ('api', 'document')
    order by received_at, item_id
    limit 1 by project_id, item_id
),

fetched as (
    select
        files.project_id as project_id,
        files.view_id as view_id,
        loads.received_at as arrived_at,
        loads.user_hash as user_hash,
        loads.device as device,
        loads.browser as browser,
        -- SDKs before 10 leave out the page's own host.
        if(startsWith(files.url, '/'), concat(protocol(loads.url), '://', netloc(loads.url), files.url), files.url) as file_url,
        files.start_us as start_us,
        files.transfer_bytes as transfer_bytes,
        files.body_bytes as body_bytes,
        files.is_cached as is_cached,
        max(files.is_cached) over (partition by files.project_id, files.view_id) as is_warm,
        min(files.start_us) over (partition by files.project_id, files.view_id) as began_us
    from files
    inner join loads on files.project_id = loads.project_id and files.view_id = loads.view_id
    where
        files.received_at >= loads.received_at - toIntervalDay(2)
        and files.received_at <= loads.received_at + toIntervalDay(2)
),

visits as (
    -- A load that took nothing from a cache begins anew: another browser, a private window, a cache that was cleared.
    select
        project_id,
        view_id,
        sum(1 - is_warm) over (
            partition by project_id, user_hash, device, browser
            order by began_us, view_id
            rows between unbounded preceding and current row
        ) as cache_number
    from (
        select distinct
            project_id,
            view_id,
            user_hash,
            device,
            browser,
            began_us,
            is_warm
        from fetched
    )
),

repeats as (
    select
        fetched.view_id as view_id,
        file_url,
        user_hash,
        arrived_at,
        start_us,
        transfer_bytes,
        lagInFrame(fetched.view_id) over one_cache as earlier_view,
        lagInFrame(body_bytes) over one_cache as earlier_bytes,
        lagInFrame(start_us) over one_cache as earlier_us,
        -- Of a size that changed nobody had what it is now.
        earlier_view not in (0, fetched.view_id) and earlier_bytes = body_bytes as had_it,
        -- One that is only asked after (304) comes with less than its size.
        had_it and is_warm and not is_cached and transfer_bytes >= body_bytes as is_again,
        had_it and (is_cached or transfer_bytes < body_bytes) as is_spared
    from fetched
    inner join visits on fetched.project_id = visits.project_id and fetched.view_id = visits.view_id
    window one_cache as (
        partition by fetched.project_id, user_hash, device, browser, cache_number, file_url
        order by start_us
        rows between unbounded preceding and current row
    )
)

select
    file_url,
    uniqExactIf(view_id, is_again) as again,
    uniqExactIf(user_hash, is_again) as users,
    countIf(is_spared) as spared,
    quantileExactInclusiveIf(0.75)(toFloat64(transfer_bytes), is_again) as bytes_p75,
    quantileExactInclusiveIf(0.5)((start_us - earlier_us) / 1000, is_again) as gap_ms,
    argMaxIf(view_id, (arrived_at, view_id), is_again) as example_view,
    maxIf(arrived_at, is_again) as example_arrived_at
from repeats
group by file_url
having again >= {fewest:UInt32} and again >= spared
order by again * bytes_p75 desc, file_url
limit 100
