-- rows_left
-- purpose: how many such rows of a project a table still has
-- parameters: project_id; more in the condition
-- names: table, condition
-- returns: one row: row_count
-- inputs:  ${table}

select count() as row_count
from ${table}
where project_id = {project_id:UInt32} and ${condition}
