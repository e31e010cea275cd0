-- purpose: what the filter of countries offers: those of the page views of a period
-- parameters: since (the start of a day)
-- returns: one row per known country: country

select distinct country
from errata_mart.page_loads
where
    hour >= {since:DateTime('UTC')}
    and country != ''
order by country
limit 300
