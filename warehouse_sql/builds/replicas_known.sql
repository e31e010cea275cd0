-- purpose: tables that have fewer replicas than the shard has servers
-- parameters: count (UInt32)

select concat(database, '.', table) as name, total_replicas as replica_count
from system.replicas
where startsWith(database, 'errata_') and total_replicas < {count:UInt32}
order by name
