-- purpose: how many page loads came from which kind of device, browser and country
-- parameters: since, until, ${filters}, page (empty: all)
-- returns: one row per device, browser and country, the most views first: device, browser, country, views

select
    device,
    browser,
    country,
    count() as views
from errata_mart.page_loads
where
    navigation_type = 'navigate'
    and hour >= {since:DateTime('UTC')}
    and hour < {until:DateTime('UTC')}
    and ${filters}
    and ({page:String} = '' or page = {page:String})
group by device, browser, country
order by views desc, device, browser, country
