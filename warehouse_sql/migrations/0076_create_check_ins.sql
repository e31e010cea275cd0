-- errata_raw.check_ins
-- purpose: check-ins of scheduled jobs: which ran, how they ended, and by which schedule they are expected
-- grain:   one row per status of a check-in and delivered copy
-- key:     project_id, monitor_slug, occurred_at
-- engine:  MergeTree, a partition per day of receipt, kept 400 days
-- order:   the check-ins of a monitor in a period
-- inputs:  none

create table errata_raw.check_ins
(
    project_id UInt32,
    monitor_slug LowCardinality(String),
    occurred_at DateTime64(3, 'UTC') comment 'when the SDK logged the status',
    received_at DateTime64(3, 'UTC') default now64(3),
    item_id UUID comment 'of the check-in and its status: copies have one',
    is_clock_corrected Bool,
    check_in_id UUID comment 'nil: the latest one in progress of the monitor and environment, or one of its own',
    status LowCardinality(String) comment 'in_progress, ok or error',
    duration_ms Float64 default nan comment 'as the SDK measured it',
    environment LowCardinality(String),
    release LowCardinality(String),
    service LowCardinality(String),
    host LowCardinality(String) comment 'whose shipper delivered it; empty: none was named',
    config LowCardinality(String) comment 'schedule, margin, limits and time zone as JSON; empty: none was sent'
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, monitor_slug, occurred_at)
ttl toDate(received_at) + interval 400 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
