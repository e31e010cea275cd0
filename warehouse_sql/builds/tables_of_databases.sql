-- purpose: the tables and views of these databases; the replicas of a table have the same uuid

select concat(database, '.', name) as name, toString(uuid) as uuid, engine, create_table_query as statement
from system.tables
where database in {databases:Array(String)}
order by name
