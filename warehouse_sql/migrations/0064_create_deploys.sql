-- errata_raw.deploys
-- purpose: when a release was deployed to an environment, as upload tools say
-- grain:   one row per deploy
-- key:     project_id, release, environment, finished_at
-- engine:  MergeTree, no TTL
-- order:   the deploys of a release
-- inputs:  none

create table errata_raw.deploys
(
    project_id UInt32,
    release String,
    environment LowCardinality(String),
    recorded_at DateTime64(3, 'UTC') default now64(3),
    started_at DateTime64(3, 'UTC') comment '1970: not said',
    finished_at DateTime64(3, 'UTC') comment '1970: not said',
    name String,
    url String
)
engine = MergeTree
order by (project_id, release, environment, finished_at)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
