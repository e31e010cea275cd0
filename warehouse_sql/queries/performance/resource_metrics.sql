-- resource_metrics
-- purpose: what pages loaded in a period, by type and by URL, of page loads as built: of hours, devices and browsers, which the mart does not tell apart
-- definition: Loads counts how often page loads loaded a resource. Sizes and times are of these loads, as browsers measured them.
-- parameters: since, until, navigation_type, ${filters}, page (empty: all),
--   has_types, has_urls (which rows are told), type (of the URLs; empty: all), sort, is_descending, url_limit, blocking_limit
-- returns: what resources_told tells
-- inputs:  errata_mart.page_loads, errata_raw.page_resources

with recent as (
    select *
    from errata_raw.page_resources
    where received_at >= {since:DateTime('UTC')} - toIntervalDay(4)
),

loads as (
    select
        project_id,
        item_id,
        view_id,
        toDate(hour) as day,
        received_at,
        navigation_type,
        page,
        environment,
        release,
        started_at_ms + fcp_ms as painted_at_ms
    from errata_mart.page_loads
    where
        hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and navigation_type = {navigation_type:String}
        and ${filters}
        and ({page:String} = '' or page = {page:String})
),

repeated as (
    select item_id
    from recent
    group by item_id
    having count() > 1
),

copies as (
    -- The view names page, environment and release; a part without its view has no page.
    select
        recent.project_id as project_id,
        loads.day as day,
        loads.page as page,
        loads.navigation_type as navigation_type,
        loads.environment as environment,
        loads.release as release,
        recent.view_id as view_id,
        recent.item_id as item_id,
        recent.received_at as received_at,
        recent.type as type,
        recent.url as url,
        recent.host as host,
        recent.is_cached as is_cached,
        recent.is_render_blocking as is_render_blocking,
        recent.status_code as status_code,
        recent.transfer_bytes as transfer_bytes,
        recent.body_bytes as body_bytes,
        recent.decoded_bytes as decoded_bytes,
        recent.duration_ms as duration_ms,
        -- Resources that finish after the first paint did not delay it.
        multiIf(
            not is_render_blocking, 0.,
            isNaN(loads.painted_at_ms), duration_ms,
            round(greatest(0., least(recent.start_us / 1000 + duration_ms, loads.painted_at_ms) - recent.start_us / 1000), 3)
        ) as delay_ms
    from recent
    inner join loads on recent.project_id = loads.project_id and recent.view_id = loads.view_id
    where
        recent.received_at >= loads.received_at - toIntervalDay(2)
        and recent.received_at <= loads.received_at + toIntervalDay(2)
),

resources as (
    -- Among copies of a resource, the one received first counts. Sorting only the repeated ones takes half the time.
    select *
    from copies
    where item_id not in (select item_id from repeated)
    union all
    select *
    from (
        select *
        from copies
        where item_id in (select item_id from repeated)
        order by received_at, item_id
        limit 1 by project_id, day, view_id, item_id
    )
),

urls as (
    select
        project_id,
        day,
        page,
        navigation_type,
        environment,
        release,
        type,
        url,
        any(host) as host_of_url,
        uniqExactState(view_id) as views,
        count() as resource_count,
        countIf(is_cached) as cached_count,
        countIf(decoded_bytes > 0 or body_bytes > 0) as sized_count,
        countIf(is_render_blocking) as blocking_count,
        countIf(status_code >= 400) as error_count,
        sum(transfer_bytes) as transfer_bytes_sum,
        sum(body_bytes) as body_bytes_sum,
        sum(decoded_bytes) as decoded_bytes_sum,
        sum(delay_ms) as delay_sum_ms,
        groupArray(duration_ms) as loaded_in_ms
    from resources
    group by project_id, day, page, navigation_type, environment, release, type, url
),

named as (
    select
        *,
        row_number() over (
            partition by project_id, day, page, navigation_type, environment, release, type
            order by resource_count desc, url asc
        ) as place,
        -- If every view has URLs of its own, single URLs say little.
        arrayJoin(['', if(place <= 100, url, '(other)')]) as named_url
    from urls
),

cells as materialized (
    select
        project_id,
        day,
        page,
        navigation_type,
        environment,
        release,
        type,
        named_url as url,
        if(uniqExact(host_of_url) = 1, any(host_of_url), '') as host,
        uniqExactMerge(views) as view_count,
        sum(named.resource_count) as resource_count,
        sum(named.cached_count) as cached_count,
        sum(named.sized_count) as sized_count,
        sum(named.blocking_count) as blocking_count,
        sum(named.error_count) as error_count,
        sum(transfer_bytes_sum) as transfer_bytes,
        sum(body_bytes_sum) as body_bytes,
        sum(decoded_bytes_sum) as decoded_bytes,
        -- Values have three decimals at most: with rounding, the sum does not depend on the order.
        round(sum(delay_sum_ms), 3) as blocking_delay_ms,
        arraySort(groupArrayArray(loaded_in_ms)) as sorted,
        round(arraySum(sorted), 3) as duration_sum_ms,
        if(resource_count < 1000, sorted, []) as durations_ms,
        -- Fed in ascending order by one thread: the same loads always give the same state.
        arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(resource_count < 1000, [], sorted)) as duration_state
    from named
    group by project_id, day, page, navigation_type, environment, release, type, named_url
),

${part:resources_told}
