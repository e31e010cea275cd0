-- errata_raw.attachments
-- purpose: files that SDKs send with an event
-- grain:   one row per file and delivered copy
-- key:     project_id, event_id
-- engine:  MergeTree, a partition per day of receipt, kept 30 days
-- order:   the files of an event
-- inputs:  none

create table errata_raw.attachments
(
    project_id UInt32,
    occurred_at DateTime64(3, 'UTC') comment 'when the file was written to a log file or arrived',
    received_at DateTime64(3, 'UTC') default now64(3),
    item_id UUID comment 'a hash of event, name and content: copies have one',
    event_id UUID comment 'of the event that it was sent with',
    filename String comment 'without a path and without secrets; the first 255 characters',
    content_type LowCardinality(String) comment 'as sent; empty: not sent',
    attachment_type LowCardinality(String) comment 'as sent, such as event.view_hierarchy',
    byte_count UInt32 comment 'of the content as stored',
    content String comment 'in base64; text without secrets' codec(ZSTD(3)),
    service LowCardinality(String),
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, event_id)
ttl toDate(received_at) + interval 30 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
