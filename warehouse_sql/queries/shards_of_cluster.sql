-- purpose: the shards that a cluster has
-- parameters: cluster (its name in the configuration of the servers)
-- returns: shard, the number of each

select distinct shard_num as shard
from system.clusters
where cluster = {cluster:String}
order by shard
