-- chosen_rows_left
-- purpose: how many rows of variants, issues or exemplars a table still has
-- parameters: project_id, chosen
-- names: table, column, type, condition
-- returns: one row: row_count
-- inputs:  errata_raw.error_events

select count() as row_count
from ${table}
where
    project_id = {project_id:UInt32}
    and has({chosen:Array(${type})}, ${column})
    and ${condition}
