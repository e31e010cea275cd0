-- errata_raw.expirations
-- purpose: up to which day of receipt the rows of a project may be gone, because its retention is shorter than the table's
-- grain:   one row per project, table and day on which more rows expired
-- key:     project_id, table, through
-- engine:  MergeTree, append-only: rows that are gone stay gone when a retention is made longer
-- order:   the latest day of a project's table
-- inputs:  none

create table errata_raw.expirations
(
    project_id UInt32,
    table LowCardinality(String) comment 'such as errata_raw.error_events',
    through Date comment 'UTC day of receipt: rows received until its end may be gone',
    recorded_at DateTime64(3, 'UTC') default now64(3) comment 'before any of the rows is deleted'
)
engine = MergeTree
order by (project_id, table, through)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
