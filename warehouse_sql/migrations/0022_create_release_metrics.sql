-- errata_mart.release_metrics
-- purpose: each release as browsers saw it: when it came, how its pages load, its errors, crash-free sessions, and the verdict
-- grain:   one row per project, environment, release and build; the latest build of a release holds
-- key:     project_id, environment, release, built_through
-- engine:  MergeTree, made by Python; rows of builds before the last are deleted in time
-- order:   the builds of one release
-- inputs:  none

create table errata_mart.release_metrics
(
    project_id UInt32,
    environment LowCardinality(String),
    release String,
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here',
    previous_release String comment 'the one it is compared with; empty: none',
    first_view_at DateTime64(3, 'UTC') comment 'of a page load',
    last_day Date comment 'of its page loads, UTC',
    view_count UInt64 comment 'page loads of its days, as of page_metrics_daily',
    user_count UInt64 comment 'identified users in the time compared, of page loads',
    load_ms_p50 Float64 comment 'nan here and below: not measured',
    load_ms_p75 Float64,
    load_ms_p95 Float64,
    lcp_ms_p75 Float64,
    js_bytes_p50 Float64 comment 'script bytes of a page load, as compressed: median of at most 2,000 loads chosen by hash',
    api_ms Float64 comment 'mean API call of page loads',
    error_count UInt64 comment 'error events of the release in this environment',
    session_count UInt64 comment 'sessions of the release in this environment',
    crashed_count UInt64,
    crash_free_ratio Float64,
    crash_free_low Float64 comment '95 % interval',
    crash_free_high Float64,
    crash_free_change Float64 comment 'against the previous release: 0.01 is one of a hundred sessions more without a crash',
    crash_free_change_low Float64 comment '95 % interval',
    crash_free_change_high Float64,
    new_issues Array(UInt64) comment 'first seen in this release',
    regressed_issues Array(UInt64) comment 'resolved, and seen again in this release',
    look_hours UInt16 comment 'after how many hours it was judged last; 0: not yet',
    next_look_at DateTime64(3, 'UTC') comment '1970: judged for the last time',
    verdict LowCardinality(String) comment 'of the load time of all pages: worse, better, no_change, not_enough_data',
    source_count UInt64 comment 'page loads of this release and the previous one at the build: where it grew, they are compared again'
)
engine = MergeTree
order by (project_id, environment, release, built_through)
settings fsync_after_insert = 1;
