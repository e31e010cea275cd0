-- purpose: the page loads of two releases that are compared: a sample by hash, as large as each page's share says
-- parameters: project_id, environment, after, before (releases), began, since, until, pages, shares (of each page: loads
--   whose hash is below it, in millionths)
-- returns: one row per load: view_id, is_after, page, device, browser, occurred_at, chosen_by (0 to 999,999), user_hash, is_unended (load_ms is what it lasted at least), and the metrics (nan: not measured)

select
    view_id,
    release = {after:String} as is_after,
    page::String as page,
    device::String as device,
    browser::String as browser,
    toUnixTimestamp64Milli(loads.occurred_at) / 1000 as occurred_at,
    cityHash64(item_id) % 1000000 as chosen_by,
    user_hash,
    not isNaN(unended_ms) as is_unended,
    if(is_unended, unended_ms, loads.load_ms) as load_ms,
    ttfb_ms,
    fcp_ms,
    lcp_ms,
    cls,
    inp_ms,
    arrayAvg(loads.api_ms) as api_ms,
    if(script_bytes = 0, nan, toFloat64(script_bytes)) as js_bytes
from errata_mart.page_loads as loads
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and release in ({after:String}, {before:String})
    and navigation_type = 'navigate'
    and view_id != 0
    and hour >= toStartOfHour({since:DateTime64(3, 'UTC')})
    and loads.occurred_at >= if(release = {after:String}, {began:DateTime64(3, 'UTC')}, {since:DateTime64(3, 'UTC')})
    and loads.occurred_at < {until:DateTime64(3, 'UTC')}
    and chosen_by < arrayElement({shares:Array(UInt32)}, indexOf({pages:Array(String)}, loads.page::String))
order by occurred_at, view_id
