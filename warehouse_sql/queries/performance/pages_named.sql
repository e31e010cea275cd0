-- purpose: the pages whose name has all words of a text, as of the last build: for finding a page by name
-- parameters: since (a day), limit (the condition put in has parameters of its own)
-- returns: one row per page, the most viewed first: page_name, last_day, views

select
    page as page_name,
    max(day) as last_day,
    sum(sample_count) as views
from errata_mart.page_metrics_daily
where
    metric = 'view'
    and day >= {since:Date}
    and (${is_named})
group by page_name
order by views desc, page_name
limit {limit:UInt16}
