-- errata_raw.variants
-- purpose: what each variant looks like and when it was first seen, for as long as the project lives
-- grain:   one row per variant and ingest node that met it first; read the one with the least first_seen_at
-- key:     project_id, variant_hash
-- engine:  MergeTree, no TTL: an old issue never becomes new
-- order:   the variants of a project, joined to its counts
-- inputs:  none

create table errata_raw.variants
(
    project_id UInt32,
    variant_hash UInt64,
    first_seen_at DateTime64(3, 'UTC'),
    recorded_at DateTime64(3, 'UTC') default now64(3),
    exemplar_id UUID comment 'event id of the event it was recorded from',
    type LowCardinality(String),
    title String,
    culprit String,
    level LowCardinality(String),
    platform LowCardinality(String),
    shape String comment 'what grouping reads, JSON' codec(ZSTD(3))
)
engine = MergeTree
order by (project_id, variant_hash)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
