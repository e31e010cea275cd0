-- purpose: removes the rows of a project from a partition of a table, before they are copied anew

delete from ${table}
where
    project_id = {project_id:UInt32}
    and _partition_id = {partition_id:String}
settings lightweight_deletes_sync = 2
