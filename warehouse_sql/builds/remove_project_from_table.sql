-- purpose: removes all rows of a project from a table of the shard that it has left

alter table ${table} delete
where project_id = {project_id:UInt32}
settings mutations_sync = 1
