-- errata_raw.source_bundles
-- purpose: the uploads of scripts and source maps that are whole
-- grain:   one row per upload of the same files for the same release
-- key:     project_id, bundle_id
-- engine:  MergeTree, written after the rows of all scripts; removed first
-- order:   the bundles of a project
-- inputs:  none

create table errata_raw.source_bundles
(
    project_id UInt32,
    bundle_id UUID comment 'hash of release, dist and all files',
    release String comment 'empty: the files are looked for by debug id alone',
    dist String comment 'empty: none',
    uploaded_at DateTime64(3, 'UTC') default now64(3),
    uploaded_by String comment 'email address, or prefix of the key or token',
    script_count UInt32,
    map_count UInt32,
    byte_count UInt64 comment 'of scripts and maps, not compressed',
    debug_ids Array(UUID) comment 'of its scripts'
)
engine = MergeTree
order by (project_id, bundle_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
