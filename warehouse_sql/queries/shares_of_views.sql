-- shares_of_views
-- purpose: how many page loads came from which kind of device and browser
-- parameters: since, received_from (nothing that opened since then was received before), environment, release, page (empty: all)
-- returns: one row per device and browser, the most views first: device, browser, views
-- inputs:  errata_raw.page_views

select
    device,
    browser,
    uniqExact(project_id, item_id) as views
from errata_raw.page_views
where
    is_load
    and navigation_type = 'navigate'
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and occurred_at >= {since:DateTime('UTC')}
    and ({environment:String} = '' or environment = {environment:String})
    and ({release:String} = '' or release = {release:String})
    and ({page:String} = '' or page = {page:String})
group by device, browser
order by views desc, device, browser
