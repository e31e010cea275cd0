-- purpose: the shard of a cluster that this server is of
-- parameters: cluster (its name in the configuration of the servers)
-- returns: shard, its number; no row: the server is not of this cluster

select distinct shard_num as shard
from system.clusters
where cluster = {cluster:String} and is_local
