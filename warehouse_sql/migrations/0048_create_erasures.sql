-- errata_raw.erasures, errata_raw.erased_items
-- purpose: what was erased, how far each erasure is, and the ids that are refused if they are delivered again
-- grain:   of erasures: one row per step of one erasure, the latest holds; of erased_items: one row per item, table and days
-- key:     project_id, erasure_id, recorded_at; project_id, item_id
-- engine:  MergeTree, append-only; erasures have no TTL, ids are kept as long as the longest raw retention
-- order:   the steps of one erasure; whether an item was erased
-- inputs:  none

create table errata_raw.erasures
(
    project_id UInt32,
    erasure_id UUID,
    recorded_at DateTime64(6, 'UTC') default now64(6),
    state LowCardinality(String) comment 'asked, collected, rows_removed, settled, failed',
    kind LowCardinality(String) comment 'event, issue, person, project',
    subject String comment 'id of the event or issue; of a person a keyed hash; of a project its slug; never content',
    sealed_id String comment 'where the state store keeps a person sealed until the rows are removed; empty: nowhere',
    asked_by String comment 'e-mail address of an owner, or the prefix of an API key',
    asked_at DateTime64(3, 'UTC') comment 'rows received until then are erased',
    is_deleted Bool comment 'the project itself was deleted: rows received later go too',
    row_counts Array(Tuple(String, UInt64)) comment 'rows removed, by table',
    issues Array(UInt64) comment 'issues erased as a whole',
    variants Array(UInt64) comment 'variants erased as a whole',
    renamed_variants Array(UInt64) comment 'variants whose title and exemplar were replaced',
    replaced_counts Array(Tuple(String, UInt64)) comment 'texts replaced or removed elsewhere, by place',
    reason String comment 'of a failure, without content; empty: none'
)
engine = MergeTree
order by (project_id, erasure_id, recorded_at)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

create table errata_raw.erased_items
(
    project_id UInt32,
    item_id UUID,
    erasure_id UUID,
    source LowCardinality(String) comment 'the table its rows were in',
    occurred_on Date comment 'UTC day of its rows',
    received_on Date comment 'UTC day of their receipt',
    row_count UInt32,
    recorded_at DateTime64(3, 'UTC') default now64(3)
)
engine = MergeTree
order by (project_id, item_id)
ttl toDate(recorded_at) + interval 400 day
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
