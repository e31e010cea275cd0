-- purpose: the tables of these databases; those of a replicated database have the same uuid on every server

select concat(database, '.', name) as name, toString(uuid) as uuid
from system.tables
where database in {databases:Array(String)}
order by name
