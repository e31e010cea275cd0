-- purpose: the engine of each of these databases, and where it is replicated; path empty: it is not

select
    databases.name as name,
    databases.engine as engine,
    replicas.zookeeper_path as path,
    replicas.replica_name as replica,
    replicas.total_replicas as replica_count
from system.databases as databases
left join system.database_replicas as replicas on replicas.database = databases.name
where databases.name in {databases:Array(String)}
order by name
