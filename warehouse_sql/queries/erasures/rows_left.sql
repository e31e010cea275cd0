-- purpose: how many such rows of a project a table still has
-- parameters: project_id; more in the condition
-- returns: one row: row_count

select count() as row_count
from ${table}
where project_id = {project_id:UInt32} and ${condition}
