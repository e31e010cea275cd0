-- errata_raw.variant_issues
-- purpose: the mapping of variants to issues with its reason; the latest entry of the highest authority holds
-- grain:   one row per decision about one variant
-- key:     project_id, variant_hash, recorded_at
-- engine:  MergeTree, append-only, no TTL
-- order:   the mapping of a whole project, read with every count of issues
-- inputs:  none

create table errata_raw.variant_issues
(
    project_id UInt32,
    variant_hash UInt64,
    recorded_at DateTime64(6, 'UTC') default now64(6),
    issue_id UInt64,
    authority UInt8 comment '0: ingest, 1: pipelines, 2: a person; the higher wins, then the later',
    fingerprint_hash UInt64,
    fingerprint_version UInt16,
    fingerprint Array(String),
    explanation String comment 'why, JSON' codec(ZSTD(3)),
    actor LowCardinality(String) comment 'e-mail of the person; empty: nobody'
)
engine = MergeTree
order by (project_id, variant_hash, recorded_at)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
