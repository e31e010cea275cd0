-- shares_of_views
-- purpose: how many page loads came from which kind of device and browser
-- parameters: since, until, ${filters}, page (empty: all)
-- returns: one row per device and browser, the most views first: device, browser, views
-- inputs:  errata_mart.page_loads

select
    device,
    browser,
    count() as views
from errata_mart.page_loads
where
    navigation_type = 'navigate'
    and hour >= {since:DateTime('UTC')}
    and hour < {until:DateTime('UTC')}
    and ${filters}
    and ({page:String} = '' or page = {page:String})
group by device, browser
order by views desc, device, browser
