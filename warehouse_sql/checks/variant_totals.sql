-- purpose: whether the totals of all time add up to the days
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(event_count) as built_count,
    0 as expected_count
from errata_mart.variant_totals
where period = 'all'
group by project_id
union all
select
    project_id,
    0 as built_count,
    sum(event_count) as expected_count
from errata_mart.variant_daily
group by project_id
