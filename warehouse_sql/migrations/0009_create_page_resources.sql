-- errata_raw.page_resources
-- purpose: what a page view loaded: files and API calls, with bytes and times
-- grain:   one row per resource of a page view and delivered copy
-- key:     project_id, view_id, start_us
-- engine:  MergeTree, a partition per day of receipt, kept 400 days
-- order:   the resources of one view in the order they were asked for
-- inputs:  none

create table errata_raw.page_resources
(
    project_id UInt32,
    view_id UInt64 comment 'span id of the view; 0: unknown',
    occurred_at DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC') default now64(3),
    item_id UUID,
    page LowCardinality(String) comment 'empty: stands in the view''s load part',
    environment LowCardinality(String),
    release LowCardinality(String),
    service LowCardinality(String) comment 'service segment of the application key; empty: none',
    type LowCardinality(String) comment 'script, style, image, font, api, media, document or other, by the URL''s ending',
    initiator LowCardinality(String) comment 'initiatorType, or fetch and xhr',
    url String comment 'without query, fragment and credentials',
    host LowCardinality(String),
    start_us Int64 comment 'unix µs as sent',
    duration_ms Float64,
    transfer_bytes UInt64 comment '0 from the cache, and where Timing-Allow-Origin is missing',
    body_bytes UInt64 comment 'as compressed',
    decoded_bytes UInt64,
    is_render_blocking Bool,
    is_cached Bool,
    is_same_origin Bool,
    status_code UInt16 comment '0: unknown',
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4,
    index received_at_minmax received_at type minmax granularity 1
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, view_id, start_us)
ttl toDate(received_at) + interval 400 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
