-- purpose: whose trends are looked through, and how many days before `until` they have
-- parameters: since (day), until (day)
-- returns: one row per project: project_id, day_count

select
    project_id,
    uniqExactIf(day, day < {until:Date}) as day_count
from errata_mart.page_metrics_daily
where
    day >= {since:Date}
    and metric = 'view'
group by project_id
order by project_id
