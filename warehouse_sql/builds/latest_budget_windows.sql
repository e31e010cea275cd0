-- purpose: up to where the history of each budget of a project is known

select
    budget_id,
    max(window_end) as window_end
from errata_mart.budget_status
where project_id = {project_id:UInt32}
group by budget_id
