-- errata_raw.release_commits
-- purpose: the commits of a release, as upload tools send them
-- grain:   one row per commit of a release and time it was sent
-- key:     project_id, release, commit_id
-- engine:  MergeTree, no TTL; the row recorded last holds
-- order:   the commits of a release
-- inputs:  none

create table errata_raw.release_commits
(
    project_id UInt32,
    release String,
    commit_id String,
    position UInt32 comment 'from 0: the latest commit first',
    recorded_at DateTime64(3, 'UTC') default now64(3),
    committed_at DateTime64(3, 'UTC') comment '1970: not said',
    repository LowCardinality(String),
    author_name String,
    author_email String,
    message String,
    paths Array(String) comment 'changed files'
)
engine = MergeTree
order by (project_id, release, commit_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
