-- errata_mart.budget_status
-- purpose: whether each performance budget was kept, window by window, by the limit it had then
-- grain:   one row per project, budget and window; of rows with the same key the latest built_through holds
-- key:     project_id, budget_id, window_end
-- engine:  ReplacingMergeTree by built_through, made by Python when a window has ended, kept 400 days
-- order:   the history of one budget
-- inputs:  none

create table errata_mart.budget_status
(
    project_id UInt32,
    budget_id String comment 'as in the address of its page',
    window_end DateTime('UTC') comment 'the window ends before it',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here',
    name String comment 'of the budget, as it was called then',
    metric LowCardinality(String) comment 'as in page_metrics_hourly, or server_ and call_ with ms or error_ratio',
    statistic LowCardinality(String) comment 'p1 to p99, mean or ratio',
    threshold Float64 comment 'above it the window is a breach; in the unit of the metric',
    pattern String comment 'of pages, or method and route; * stands for anything, empty: all',
    environment LowCardinality(String) comment 'empty: all',
    device LowCardinality(String) comment 'empty: all',
    window_hours UInt16 comment 'how long the window is',
    least_samples UInt32 comment 'with fewer the outcome is unknown',
    sample_count UInt64 comment 'page loads or calls of the window',
    value Float64 comment 'what was measured; nan: no samples',
    outcome LowCardinality(String) comment 'of this window alone: kept, breached or unknown',
    state LowCardinality(String) comment 'what three of the latest four windows agree on, or else what it was before'
)
engine = ReplacingMergeTree(built_through)
order by (project_id, budget_id, window_end)
ttl toDate(window_end) + interval 400 day
settings fsync_after_insert = 1;
