-- purpose: removes all rows of a project from a table of the shard that it has left

delete from ${table}
where project_id = {project_id:UInt32}
settings lightweight_deletes_sync = 2
