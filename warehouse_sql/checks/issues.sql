-- purpose: whether the issues add up to their totals of all time
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(event_count) as built_count,
    0 as expected_count
from errata_mart.issues
group by project_id
union all
select
    project_id,
    0 as built_count,
    sum(event_count) as expected_count
from errata_mart.issue_totals
where period = 'all' and is_whole
group by project_id
