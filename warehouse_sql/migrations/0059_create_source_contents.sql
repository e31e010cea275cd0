-- errata_raw.source_contents
-- purpose: the text of uploaded scripts and maps, once for all bundles that have the same
-- grain:   one row per content and upload that met it first; all of them are the same
-- key:     project_id, content_id
-- engine:  MergeTree, removed when no bundle has it any more
-- order:   one content
-- inputs:  none

create table errata_raw.source_contents
(
    project_id UInt32,
    content_id UUID comment 'blake2b-128 of the content',
    received_at DateTime64(3, 'UTC') default now64(3),
    encoded String ephemeral comment 'the content in base64',
    content String default base64Decode(encoded) codec(ZSTD(3))
)
engine = MergeTree
order by (project_id, content_id)
settings
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000,
    index_granularity_bytes = 262144;
