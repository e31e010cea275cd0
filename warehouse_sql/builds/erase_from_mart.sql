-- purpose: deletes rows of a project from the files of a mart, whatever their version: those that no build can compute again
-- parameters: project_id; chosen (in the condition)

alter table ${table} delete
where
    project_id = {project_id:UInt32}
    and (${condition})
settings mutations_sync = 1
