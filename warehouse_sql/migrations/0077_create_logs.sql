-- errata_raw.logs
-- purpose: log records, which are shown beside the errors of their trace or host
-- grain:   one row per record and delivered copy
-- key:     project_id, environment, server_name, occurred_at
-- engine:  MergeTree, a partition per day of receipt, kept 7 days
-- order:   the records of a host in a period; one trace in a period by its index
-- inputs:  none

create table errata_raw.logs
(
    project_id UInt32,
    environment LowCardinality(String),
    server_name LowCardinality(String) comment 'empty: none was named, as by browsers',
    occurred_at DateTime64(3, 'UTC') comment 'when the program logged it',
    received_at DateTime64(3, 'UTC') default now64(3),
    position UInt16 comment 'in its container, which orders the records of one millisecond',
    item_id UUID comment 'of the container and the position: copies have one',
    is_clock_corrected Bool,
    trace_id UUID comment 'nil: none',
    span_id UInt64 comment '0: none',
    level LowCardinality(String) comment 'trace, debug, info, warn, error or fatal',
    body String comment 'without secrets; the first 8,000 characters' codec(ZSTD(1)),
    attributes Map(String, String) comment 'values as texts; those of other columns are left out' codec(ZSTD(1)),
    release LowCardinality(String),
    service LowCardinality(String),
    user_hash UInt64 comment '0: no user identified',
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4,
    index trace_id_bloom trace_id type bloom_filter(0.01) granularity 1
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, environment, server_name, occurred_at)
ttl toDate(received_at) + interval 7 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
