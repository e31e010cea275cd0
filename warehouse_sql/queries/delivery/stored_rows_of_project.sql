-- stored_rows_of_project
-- purpose: how many rows of each raw table are a project's
-- parameters: project_id
-- returns: one row per table: table, row_count (of all projects), project_row_count
-- inputs:  errata_read.stored_rows

select
    table,
    sum(stored_rows.row_count) as row_count,
    sumIf(stored_rows.row_count, project_id = {project_id:UInt32}) as project_row_count
from errata_read.stored_rows as stored_rows
group by table
order by table
