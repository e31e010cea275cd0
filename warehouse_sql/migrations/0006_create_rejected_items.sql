-- errata_raw.rejected_items
-- purpose: why a line was refused, without its content
-- grain:   one row per refused line and delivered copy
-- key:     project_id, received_at
-- engine:  MergeTree, a partition per day of receipt, kept 7 days
-- order:   the refusals of a project, newest last
-- inputs:  none

create table errata_raw.rejected_items
(
    project_id UInt32 comment '0: no project could be told',
    received_at DateTime64(3, 'UTC') default now64(3),
    batch_id String,
    line UInt32 comment 'counted from 1',
    reason LowCardinality(String),
    message String,
    byte_count UInt32,
    line_hash UInt64,
    error_offset UInt32 comment 'byte of the line the decoder stopped at; 0: unknown',
    masked String comment 'keys with every value masked; not JSON: letters and digits masked'
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, received_at)
ttl toDate(received_at) + interval 7 day
settings ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000;
