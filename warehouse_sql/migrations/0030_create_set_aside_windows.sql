-- errata_ops.set_aside_windows
-- purpose: what of one project a mart could not be built of, so that the others' builds go on: since when, why, and when it is tried again
-- grain:   one row per failed attempt, and one when the window is built after all
-- key:     mart, project_id, window_start, recorded_at
-- engine:  MergeTree, append-only
-- order:   the latest of one window
-- inputs:  none

create table errata_ops.set_aside_windows
(
    mart LowCardinality(String),
    table_uuid UUID comment 'a mart made anew has nothing set aside',
    project_id UInt32,
    window_start DateTime('UTC') comment '1970: all that the mart has of the project',
    recorded_at DateTime64(6, 'UTC') default now64(6),
    state LowCardinality(String) comment 'set_aside, recovered',
    since DateTime64(3, 'UTC') comment 'when the first of these attempts failed',
    reason LowCardinality(String) comment 'recount_failed, out_of_memory, out_of_time, query_failed, too_many_rows',
    message String comment 'what an operator needs: counts, an example, the warehouse''s words',
    attempt_count UInt32,
    next_attempt_at DateTime64(3, 'UTC'),
    row_count UInt64 comment 'rows of raw, or of the source, to read for the window; 0: not known'
)
engine = MergeTree
order by (mart, project_id, window_start, recorded_at)
ttl toDate(recorded_at) + interval 90 day
settings fsync_after_insert = 1;
