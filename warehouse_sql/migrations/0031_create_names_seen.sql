-- errata_raw.names_seen
-- purpose: the pages, releases, tags and other names a project used each day, so that new ones have a bound
-- grain:   one row per project, kind, name and UTC day, and per ingest process that met it
-- key:     project_id, kind, name
-- engine:  MergeTree, a partition per day of receipt, kept 30 days
-- order:   all names of a project
-- inputs:  none

create table errata_raw.names_seen
(
    project_id UInt32,
    kind LowCardinality(String) comment 'page, route, release, environment, tag, …',
    name String,
    seen_on Date comment 'UTC day of receipt',
    received_at DateTime64(3, 'UTC') default now64(3)
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, kind, name)
ttl toDate(received_at) + interval 30 day
settings ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000;
