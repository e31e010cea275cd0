-- purpose: the engine of the first table that a migration makes: replicated, if all are

select engine
from system.tables
where database = 'errata_ops' and name = 'migrations'
