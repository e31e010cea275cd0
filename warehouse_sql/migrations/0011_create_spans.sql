-- errata_raw.spans
-- purpose: the spans of sampled traces, for the waterfall
-- grain:   one row per span and delivered copy
-- key:     project_id, trace_id, start_us
-- engine:  MergeTree, a partition per day of receipt, kept 30 days
-- order:   one trace, in the order its spans began
-- inputs:  none

create table errata_raw.spans
(
    project_id UInt32,
    trace_id UUID,
    start_us Int64 comment 'unix µs as sent; offsets are differences of it within a trace',
    occurred_at DateTime64(3, 'UTC') comment 'of the item it came in',
    received_at DateTime64(3, 'UTC') default now64(3),
    item_id UUID,
    span_id UInt64,
    parent_span_id UInt64 comment '0: none',
    segment_id UInt64 comment 'span id of the transaction or segment it belongs to; 0: unknown',
    is_segment Bool,
    op LowCardinality(String),
    description String comment 'URLs without query, fragment and credentials',
    duration_ms Float64,
    status LowCardinality(String) comment 'ok, or the kind of error; empty: not said',
    status_code UInt16 comment 'HTTP; 0: none',
    origin LowCardinality(String) comment 'integration that made it',
    environment LowCardinality(String),
    release LowCardinality(String),
    service LowCardinality(String),
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, trace_id, start_us)
ttl toDate(received_at) + interval 30 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
