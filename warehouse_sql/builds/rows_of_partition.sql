-- purpose: the rows of a project in a partition of a table, as they are stored

select *
from ${table}
where
    project_id = {project_id:UInt32}
    and _partition_id = {partition_id:String}
