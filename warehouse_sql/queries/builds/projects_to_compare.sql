-- purpose: the projects with variants recorded since, or grouped another way since: all of these are compared anew
-- returns: one row per project: project_id, is_regrouped

select
    project_id,
    max(is_switch) as is_regrouped
from (
    select project_id, 0 as is_switch
    from errata_raw.variants
    where recorded_at >= {since:DateTime64(3, 'UTC')}
    union all
    select project_id, 1 as is_switch
    from errata_raw.grouping_switches
    where switched_at >= {since:DateTime64(3, 'UTC')}
)
group by project_id
order by project_id
