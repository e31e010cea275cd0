-- errata_raw.outcomes
-- purpose: what became of every item, also of types that are not stored yet
-- grain:   one row per batch, project, item type and outcome, and delivered copy: read one a batch
-- key:     project_id, item_type, outcome, received_at
-- engine:  MergeTree, a partition per day of receipt, kept 90 days
-- order:   counts by type and outcome
-- inputs:  none

create table errata_raw.outcomes
(
    project_id UInt32,
    item_type LowCardinality(String),
    outcome LowCardinality(String) comment 'stored, not_stored_yet, too_old, or a reason of refusal',
    received_at DateTime64(3, 'UTC') default now64(3),
    batch_id String,
    item_count UInt32
)
engine = MergeTree
partition by toDate(received_at)
order by (project_id, item_type, outcome, received_at)
ttl toDate(received_at) + interval 90 day
settings ttl_only_drop_parts = 1, non_replicated_deduplication_window = 1000;
