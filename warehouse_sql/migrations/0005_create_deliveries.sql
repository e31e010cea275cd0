-- errata_raw.deliveries
-- purpose: the delivery ledger: which bytes of which file of which host were accepted, and when
-- grain:   one row per accepted copy of a batch; a retry has the same batch_id: read one a batch
-- key:     project_id, host, file, byte_from
-- engine:  MergeTree, a partition per day of receipt, kept 400 days
-- order:   the byte ranges of one file in their order
-- inputs:  none

create table errata_raw.deliveries
(
    project_id UInt32 comment '0: the batch named no application key',
    host LowCardinality(String),
    file String,
    byte_from UInt64,
    byte_to UInt64,
    file_bytes UInt64,
    batch_id String,
    received_at DateTime64(3, 'UTC') default now64(3),
    accepted_count UInt32,
    rejected_count UInt32,
    newest_logged_at DateTime64(3, 'UTC') comment 'lag = received_at less this; 1970: no line said'
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, host, file, byte_from)
ttl toDate(received_at) + interval 400 day
settings
    ttl_only_drop_parts = 1,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;
