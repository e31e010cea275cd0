-- remove_chosen_rows
-- purpose: deletes the rows of variants, issues or exemplars from the files of a table
-- parameters: project_id, chosen
-- names: table, column, type, condition
-- inputs:  none

alter table ${table} delete
where
    project_id = {project_id:UInt32}
    and has({chosen:Array(${type})}, ${column})
    and ${condition}
settings mutations_sync = 0
