-- purpose: the engine of the first table that a migration makes: replicated, if all are. Of a database that replicates its tables by itself nothing is told, and it serves as one of a single server

select tables.engine as engine
from system.tables as tables
inner join system.databases as databases on databases.name = tables.database
where tables.database = 'errata_ops' and tables.name = 'migrations' and databases.engine != 'Replicated'
