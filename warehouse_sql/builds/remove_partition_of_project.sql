-- purpose: removes the rows of a project from a partition of a table, before they are copied anew

alter table ${table} delete
where
    project_id = {project_id:UInt32}
    and _partition_id = {partition_id:String}
settings mutations_sync = 1
