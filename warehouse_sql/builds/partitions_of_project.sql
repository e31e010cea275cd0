-- purpose: the rows of a project in each partition of a table, to compare those of two shards

select
    _partition_id as partition_id,
    count() as row_count,
    sum(cityHash64(*)) as checksum
from ${table}
where project_id = {project_id:UInt32}
group by _partition_id
order by partition_id
