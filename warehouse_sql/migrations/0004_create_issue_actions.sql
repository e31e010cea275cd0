-- errata_raw.issue_actions
-- purpose: what people decided about issues; the current state is the latest decision of each kind
-- grain:   one row per decision about one issue
-- key:     project_id, issue_id, acted_at
-- engine:  MergeTree, append-only, no TTL
-- order:   the state of all issues of a project, and the timeline of one
-- inputs:  none

create table errata_raw.issue_actions
(
    project_id UInt32,
    issue_id UInt64,
    acted_at DateTime64(6, 'UTC') default now64(6),
    action_id UUID,
    action LowCardinality(String) comment 'resolve, unresolve, ignore, merge, unmerge',
    target_issue_id UInt64 comment 'merge: the issue it became part of; else 0',
    detail String comment 'JSON; empty: none',
    actor LowCardinality(String)
)
engine = MergeTree
order by (project_id, issue_id, acted_at)
settings fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;
