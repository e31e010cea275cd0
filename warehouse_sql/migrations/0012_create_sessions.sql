-- errata_raw.sessions
-- purpose: states of sessions, for crash-free figures
-- grain:   one row per state of a session, or per status of a pre-counted minute, and delivered copy
-- key:     project_id, release, occurred_at
-- engine:  MergeTree, a partition per day of receipt, kept 90 days
-- order:   the sessions of a release in a period
-- inputs:  none

create table errata_raw.sessions
(
    project_id UInt32,
    release LowCardinality(String),
    occurred_at DateTime64(3, 'UTC') comment 'when the session reached the state',
    received_at DateTime64(3, 'UTC') default now64(3),
    item_id UUID,
    is_clock_corrected Bool,
    session_id UUID comment 'nil: counted by the SDK, not told one by one',
    started_at DateTime64(3, 'UTC'),
    status LowCardinality(String) comment 'ok, exited, errored, unhandled, crashed or abnormal',
    is_first Bool comment 'the first state that was sent of the session',
    session_count UInt32 comment '1, or how many sessions the SDK counted',
    error_count UInt32,
    duration_ms Float64 default nan,
    environment LowCardinality(String),
    service LowCardinality(String),
    user_hash UInt64 comment '0: no user identified',
    browser LowCardinality(String),
    os LowCardinality(String),
    device LowCardinality(String),
    index item_id_bloom item_id type bloom_filter(0.01) granularity 4
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, release, occurred_at)
ttl toDate(received_at) + interval 90 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
