-- errata_raw.variant_sources
-- purpose: which variants were read through source maps, with which bundles, and which maps are missing
-- grain:   one row per look at a variant; the latest holds
-- key:     project_id, variant_hash, looked_at
-- engine:  MergeTree, append-only, no TTL
-- order:   the looks at a project's variants
-- inputs:  none

create table errata_raw.variant_sources
(
    project_id UInt32,
    variant_hash UInt64,
    looked_at DateTime64(3, 'UTC') default now64(3),
    event_id UUID comment 'the event whose frames were looked up; nil: none is kept any more',
    release String comment 'of that event',
    minified_count UInt16 comment 'frames that a map could tell more about',
    mapped_count UInt16 comment 'those that one did',
    bundles Array(UUID) comment 'bundles whose maps were used',
    missing Nested(name String, debug_id UUID) comment 'scripts without a map that serves',
    dist String comment 'of that event'
)
engine = MergeTree
order by (project_id, variant_hash, looked_at)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
