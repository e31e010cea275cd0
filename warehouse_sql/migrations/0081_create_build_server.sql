-- errata_ops.build_server
-- purpose: the replica on which the marts of this shard are built, so that two builders use the same leases
-- grain:   one row, once there were several replicas to choose from
-- key:     name
-- engine:  MergeTree, and empty, on a single server; KeeperMap on replicas, where a second choice is refused
-- order:   the only row
-- inputs:  none

create table errata_ops.build_server
(
    name LowCardinality(String) comment 'builds',
    server String comment 'host and port of the replica',
    chosen_at DateTime64(3, 'UTC') default now64(3)
)
engine = MergeTree
order by name;
