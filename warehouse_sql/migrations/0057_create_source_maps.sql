-- errata_raw.source_maps
-- purpose: the uploaded scripts and their source maps, by the names they are looked for
-- grain:   one row per script of a bundle; a map without its script has one too
-- key:     project_id, bundle_id, name, debug_id
-- engine:  MergeTree, rows of a bundle count once errata_raw.source_bundles has it; removed with their bundle
-- order:   the scripts of a bundle
-- inputs:  none

create table errata_raw.source_maps
(
    project_id UInt32,
    bundle_id UUID,
    recorded_at DateTime64(3, 'UTC') default now64(3),
    name String comment 'URL of the script, ~ for any host',
    debug_id UUID comment 'of the build; nil: none',
    script_id UUID comment 'content of the script; nil: only the map was uploaded',
    map_id UUID comment 'content of the map; nil: no map was uploaded for the script',
    map_reference String comment 'what the script says of its map; empty: nothing',
    script_bytes UInt64,
    map_bytes UInt64,
    index debug_id_bloom debug_id type bloom_filter(0.01) granularity 4,
    index name_bloom name type bloom_filter(0.01) granularity 4
)
engine = MergeTree
order by (project_id, bundle_id, name, debug_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
