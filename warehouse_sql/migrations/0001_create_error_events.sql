-- errata_raw.error_events
-- purpose: every error as sent, with the columns people filter by and the whole scrubbed payload
-- grain:   one row per delivered copy of an error event; a repeat has the same item_id
-- key:     project_id, variant_hash, occurred_at
-- engine:  MergeTree, a partition per day of receipt, kept 90 days
-- order:   counts and events of one variant in a period; rows of a variant lie together and compress to a third
-- inputs:  none

create table errata_raw.error_events
(
    project_id UInt32,
    variant_hash UInt64,
    occurred_at DateTime64(3, 'UTC') comment 'the client''s clock, corrected by logged_at',
    received_at DateTime64(3, 'UTC') default now64(3) comment 'the warehouse''s own clock at the insert',
    item_id UUID comment 'the event id',
    is_clock_corrected Bool,
    level LowCardinality(String),
    platform LowCardinality(String),
    environment LowCardinality(String),
    release LowCardinality(String),
    server_name LowCardinality(String),
    service LowCardinality(String) comment 'service segment of the application key; empty: none',
    transaction LowCardinality(String),
    logger LowCardinality(String),
    type LowCardinality(String) comment 'exception type; empty: a message',
    message String,
    is_handled Bool,
    user_hash UInt64 comment '0: no user identified',
    user_id String,
    user_email String,
    user_name String,
    user_ip String,
    trace_id UUID comment 'nil: none',
    replay_id UUID comment 'nil: none',
    request_method LowCardinality(String),
    request_url String,
    browser LowCardinality(String),
    os LowCardinality(String),
    device LowCardinality(String),
    tags Map(LowCardinality(String), String),
    payload String comment 'the scrubbed payload, JSON' codec(ZSTD(3)),
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4,
    index received_at_minmax received_at type minmax granularity 1
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, variant_hash, occurred_at)
ttl toDate(received_at) + interval 90 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000,
    index_granularity_bytes = 10485760;
