-- errata_raw.upload_chunks
-- purpose: pieces of an upload until they are put together
-- grain:   one row per piece and time it was sent
-- key:     project_id, checksum
-- engine:  MergeTree, a partition per day of receipt, kept one to two days
-- order:   one piece
-- inputs:  none

create table errata_raw.upload_chunks
(
    project_id UInt32,
    checksum FixedString(40) comment 'SHA-1 of the content, in hexadecimal digits',
    received_at DateTime64(3, 'UTC') default now64(3),
    encoded String ephemeral comment 'the content in base64',
    content String default base64Decode(encoded) codec(ZSTD(1))
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, checksum)
ttl toDate(received_at) + interval 2 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000,
    index_granularity_bytes = 262144;
