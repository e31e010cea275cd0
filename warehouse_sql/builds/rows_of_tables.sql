-- purpose: how many rows each table of these databases has stored

select
    database || '.' || table as name,
    sum(rows) as row_count
from system.parts
where active and has({databases:Array(String)}, database)
group by name
