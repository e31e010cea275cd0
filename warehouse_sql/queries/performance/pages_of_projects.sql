-- purpose: the pages that a filter offers, as of the last build
-- parameters: since (the start of a day)
-- returns: one row per page, the most viewed first, at most 200: page_name, views

select
    page as page_name,
    sum(sample_count) as views
from errata_mart.page_metrics_daily
where
    metric = 'view'
    and navigation_type = 'navigate'
    and day >= toDate({since:DateTime('UTC')})
group by page_name
order by views desc, page_name
limit 200
