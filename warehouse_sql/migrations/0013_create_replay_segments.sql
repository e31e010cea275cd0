-- errata_raw.replay_segments
-- purpose: session recordings as sent
-- grain:   one row per half of a recording's segment (its description or its recording) and delivered copy
-- key:     project_id, replay_id, segment_id, part
-- engine:  MergeTree, a partition per day of receipt, kept 30 days
-- order:   one recording from its first segment to its last
-- inputs:  none

create table errata_raw.replay_segments
(
    project_id UInt32,
    replay_id UUID comment 'nil: the item did not say',
    segment_id UInt32,
    part LowCardinality(String) comment 'event: the description; recording: the recorded bytes',
    occurred_at DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC') default now64(3),
    item_id UUID,
    is_clock_corrected Bool,
    replay_type LowCardinality(String) comment 'session or buffer; empty: not said',
    environment LowCardinality(String),
    release LowCardinality(String),
    user_hash UInt64 comment '0: no user identified',
    started_at DateTime64(3, 'UTC') comment '1970: not said',
    urls Array(String) comment 'without query, fragment and credentials',
    error_ids Array(String),
    trace_ids Array(String),
    payload String comment 'the description as JSON, or the recorded bytes in base64' codec(ZSTD(3)),
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, replay_id, segment_id, part)
ttl toDate(received_at) + interval 30 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000,
    index_granularity_bytes = 10485760;
