-- errata_raw.grouping_drafts
-- purpose: configurations of grouping that wait to be applied, for the pipelines to propose what each would make of history
-- grain:   one row per draft as it was written or thrown away; the latest of a project holds
-- key:     project_id, drafted_at
-- engine:  MergeTree, append-only, no TTL
-- order:   the draft of a project
-- inputs:  none

create table errata_raw.grouping_drafts
(
    project_id UInt32,
    drafted_at DateTime64(6, 'UTC') default now64(6),
    configuration UInt32 comment 'its number; 0: the draft before it was thrown away',
    fingerprint_version UInt16,
    rules String,
    actor LowCardinality(String)
)
engine = MergeTree
order by (project_id, drafted_at)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
