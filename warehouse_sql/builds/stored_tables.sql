-- purpose: how large each table is, for whoever helps with a service

select
    concat(database, '.', table) as table,
    sum(rows) as row_count,
    sum(bytes_on_disk) as byte_count,
    count() as part_count,
    toString(max(modification_time)) as newest_part_at
from system.parts
where
    active
    and startsWith(database, 'errata_')
group by database, table
order by byte_count desc
