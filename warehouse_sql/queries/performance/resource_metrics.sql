-- purpose: what pages loaded in a period, by type and by URL, of page loads as built: of hours, devices and browsers, which the mart does not tell apart
-- definition: Loads counts how often page loads loaded a resource. Sizes and times are of these loads, as browsers measured them.
-- parameters: since, until, navigation_type, ${filters}, page (empty: all),
--   has_types, has_urls (which rows are told), type (of the URLs; empty: all), sort, is_descending, url_limit, blocking_limit
-- returns: what resources_told tells

with recent as (
    select *
    from errata_raw.page_resources
    where received_at >= {since:DateTime('UTC')} - toIntervalDay(4)
),

loads as (
    select
        project_id,
        view_id,
        toDate(hour) as day,
        received_at,
        cityHash64(project_id, day, page, navigation_type, environment, release) as cell,
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
        recent.*,
        loads.day as day,
        loads.cell as cell,
        cityHash64(recent.type, recent.url) as url_hash,
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

${part:resource_counts},

cells as materialized (
    select *
    from resource_counts
),

${part:resources_told}
