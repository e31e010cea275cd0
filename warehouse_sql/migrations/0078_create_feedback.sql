-- errata_raw.feedback
-- purpose: messages that users wrote about an error or a page
-- grain:   one row per message and delivered copy
-- key:     project_id, occurred_at
-- engine:  MergeTree, a partition per day of receipt, kept 90 days
-- order:   the latest messages of a project
-- inputs:  none

create table errata_raw.feedback
(
    project_id UInt32,
    occurred_at DateTime64(3, 'UTC') comment 'when it was sent',
    received_at DateTime64(3, 'UTC') default now64(3),
    item_id UUID comment 'the id of its event, or a hash of the content: copies have one',
    is_clock_corrected Bool,
    message String comment 'without secrets; the first 4,096 characters' codec(ZSTD(1)),
    user_name String comment 'as the user wrote it; empty: not given',
    user_email String comment 'as the user wrote it; empty: not given',
    user_hash UInt64 comment '0: no user identified',
    url String comment 'of the page, without query and fragment; empty: not sent',
    associated_event_id UUID comment 'the error it is about; nil: none was named',
    replay_id UUID comment 'nil: none',
    environment LowCardinality(String),
    release LowCardinality(String),
    service LowCardinality(String),
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, occurred_at)
ttl toDate(received_at) + interval 90 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
