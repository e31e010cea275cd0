-- projects_with_page_loads
-- purpose: whose trends are looked through
-- parameters: since (day)
-- returns: one row per project: project_id
-- inputs:  errata_mart.page_metrics_daily

select distinct project_id
from errata_mart.page_metrics_daily
where
    day >= {since:Date}
    and metric = 'view'
order by project_id
