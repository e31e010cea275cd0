-- errata_raw.variant_issues, errata_raw.grouping_switches
-- purpose: several mappings of a project's variants beside each other, one for each configuration of its grouping, and which of them holds
-- grain:   of grouping_switches: one row per switch of a project to a configuration; the latest holds
-- key:     project_id, switched_at
-- engine:  MergeTree, append-only, no TTL
-- order:   the configuration of a project, read with every mapping
-- inputs:  none

alter table errata_raw.variant_issues
    add column if not exists configuration UInt32 default 1
    comment 'the project''s configuration of grouping it was mapped under; means nothing where a person decided'
    after authority;

create table errata_raw.grouping_switches
(
    project_id UInt32,
    switched_at DateTime64(6, 'UTC') default now64(6),
    configuration UInt32 comment 'holds from now on; a project without any row is at its first: 1',
    actor LowCardinality(String)
)
engine = MergeTree
order by (project_id, switched_at)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
