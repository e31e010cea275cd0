-- errata_raw.page_views
-- purpose: page loads, soft navigations and restores, with the timings and vitals that were sent of them
-- grain:   one row per delivered copy of a part of a page view; later vitals are parts of their own
-- key:     project_id, view_id, occurred_at
-- engine:  MergeTree, a partition per day of receipt, kept 400 days
-- order:   the parts of one view lie together; parts that name no view come first
-- inputs:  none

create table errata_raw.page_views
(
    project_id UInt32,
    view_id UInt64 comment 'span id of the view; 0: told only by its trace (INP of SDKs before 11)',
    occurred_at DateTime64(3, 'UTC') comment 'start of the part, corrected by logged_at',
    received_at DateTime64(3, 'UTC') default now64(3) comment 'the warehouse''s own clock at the insert',
    item_id UUID,
    is_clock_corrected Bool,
    is_load Bool comment 'the part that opens the view; its window is the view''s',
    trace_id UUID comment 'nil: none',
    navigation_type LowCardinality(String) comment 'navigate, soft-navigation or back-forward-cache; empty: not said',
    navigation_detail LowCardinality(String) comment 'as the SDK said, e.g. reload or prerender; empty: not said',
    page LowCardinality(String) comment 'path with variable segments as {id}, or the route''s name; empty: not said',
    url String comment 'without query, fragment and credentials',
    environment LowCardinality(String),
    release LowCardinality(String),
    service LowCardinality(String) comment 'service segment of the application key; empty: none',
    sdk LowCardinality(String) comment 'name and major version; empty: not said',
    browser LowCardinality(String),
    browser_version LowCardinality(String),
    os LowCardinality(String),
    device LowCardinality(String) comment 'desktop, mobile, tablet, bot; empty: unknown',
    connection LowCardinality(String) comment 'effective type: 4g, 3g, …; empty: not said',
    user_hash UInt64 comment '0: no user identified',
    replay_id UUID comment 'nil: none',
    parent_span_id UInt64 comment 'span of the backend that rendered the page; 0: none',
    finish_reason LowCardinality(String) comment 'why the view''s span ended; empty: not said',
    started_at_ms Float64 default nan comment 'unix ms as sent; load, DOM ready and TTFB count from it',
    duration_ms Float64 default nan comment 'of the span, not of the load',
    load_at_ms Float64 default nan comment 'unix ms: end of the load event',
    dom_ready_at_ms Float64 default nan comment 'unix ms: end of DOMContentLoaded',
    response_at_ms Float64 default nan comment 'unix ms: first byte',
    ttfb_ms Float64 default nan comment 'nan here and below: not measured',
    fp_ms Float64 default nan,
    fcp_ms Float64 default nan,
    lcp_ms Float64 default nan,
    cls Float64 default nan,
    inp_ms Float64 default nan,
    lcp_element String,
    lcp_url String,
    inp_target String,
    cls_source String,
    resource_intervals Array(Tuple(Float64, Float64)) comment 'unix ms: when at least one resource of this part was loading',
    call_ms Array(Float64) comment 'durations of the API calls of this part',
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4,
    index occurred_at_minmax occurred_at type minmax granularity 1,
    index received_at_minmax received_at type minmax granularity 1
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, view_id, occurred_at)
ttl toDate(received_at) + interval 400 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
