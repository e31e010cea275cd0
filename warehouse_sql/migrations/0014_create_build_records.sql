-- errata_ops.build_leases, errata_ops.window_arrivals, errata_ops.build_swaps, errata_ops.build_watermarks
-- purpose: what a builder of marts must remember: who builds, which rows a window reads, which swaps are open, how far a mart is
-- grain:   one row per claim, beat and release; per window and build; per opened or closed swap; per finished build
-- key:     mart, recorded_at
-- engine:  MergeTree, append-only
-- order:   the latest of one mart
-- inputs:  none

create table errata_ops.build_leases
(
    mart LowCardinality(String),
    recorded_at DateTime64(6, 'UTC') default now64(6),
    attempt String,
    state LowCardinality(String) comment 'claimed, beating, released'
)
engine = MergeTree
order by (mart, recorded_at)
ttl toDate(recorded_at) + interval 7 day;

create table errata_ops.window_arrivals
(
    mart LowCardinality(String),
    window_start DateTime('UTC'),
    first_received_at DateTime64(3, 'UTC'),
    last_received_at DateTime64(3, 'UTC'),
    row_count UInt64,
    recorded_at DateTime64(3, 'UTC') default now64(3)
)
engine = MergeTree
order by (mart, window_start)
ttl toDate(recorded_at) + interval 400 day
settings fsync_after_insert = 1;

create table errata_ops.build_swaps
(
    mart LowCardinality(String),
    attempt String,
    partition_id String,
    state LowCardinality(String) comment 'open, closed',
    recorded_at DateTime64(6, 'UTC') default now64(6)
)
engine = MergeTree
order by (mart, recorded_at)
ttl toDate(recorded_at) + interval 7 day
settings fsync_after_insert = 1;

create table errata_ops.build_watermarks
(
    mart LowCardinality(String),
    finished_at DateTime64(6, 'UTC') default now64(6),
    table_uuid UUID comment 'a mart made anew starts again from the first row of raw',
    watermark DateTime64(3, 'UTC') comment 'every row received before it is in the mart',
    attempt String,
    window_count UInt32,
    row_count UInt64,
    seconds Float32
)
engine = MergeTree
order by (mart, finished_at)
ttl toDate(finished_at) + interval 30 day
settings fsync_after_insert = 1;
