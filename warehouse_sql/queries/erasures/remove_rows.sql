-- purpose: deletes rows of a project from the files of a table
-- parameters: project_id; more in the condition

alter table ${table} delete
where project_id = {project_id:UInt32} and ${condition}
settings mutations_sync = 0, allow_nondeterministic_mutations = 1
