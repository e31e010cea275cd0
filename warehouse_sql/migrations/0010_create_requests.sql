-- errata_raw.requests
-- purpose: API calls, as the server answered them and as pages saw them
-- grain:   one row per call, side and delivered copy
-- key:     project_id, side, route, method, occurred_at
-- engine:  MergeTree, a partition per day of receipt, kept 400 days
-- order:   the calls of one endpoint in a period
-- inputs:  none

create table errata_raw.requests
(
    project_id UInt32,
    side LowCardinality(String) comment 'server: incoming; page: as seen from the browser',
    route LowCardinality(String) comment 'the transaction''s name, or the path with variable segments as {id}',
    method LowCardinality(String),
    occurred_at DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC') default now64(3),
    item_id UUID,
    is_clock_corrected Bool,
    host LowCardinality(String) comment 'page side: the host that was called; server side: empty',
    path String comment 'as called, without query',
    status_code UInt16 comment '0: no answer',
    duration_ms Float64,
    environment LowCardinality(String),
    release LowCardinality(String),
    service LowCardinality(String),
    server_name LowCardinality(String),
    user_hash UInt64 comment '0: no user identified',
    trace_id UUID comment 'nil: none',
    span_id UInt64,
    parent_span_id UInt64 comment '0: none',
    view_id UInt64 comment 'page side: the page view it was made in; 0: unknown',
    page LowCardinality(String) comment 'page side; empty: unknown',
    response_bytes UInt64 comment '0: unknown',
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4,
    index occurred_at_minmax occurred_at type minmax granularity 1,
    index received_at_minmax received_at type minmax granularity 1
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, side, route, method, occurred_at)
ttl toDate(received_at) + interval 400 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
