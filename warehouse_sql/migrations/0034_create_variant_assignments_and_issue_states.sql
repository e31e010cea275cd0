-- errata_raw.variant_assignments, errata_raw.issue_states
-- purpose: what the logs of mappings and decisions come to: the issue of each variant and the state of each issue as of now
-- grain:   one row per variant, and one per issue that anybody decided about; of several the one with the greatest version counts
-- key:     project_id, variant_hash; project_id, issue_id
-- engine:  ReplacingMergeTree by version, no TTL: can be written again from the logs
-- order:   what lists join to counts, for a whole project
-- inputs:  none

create table errata_raw.variant_assignments
(
    project_id UInt32,
    variant_hash UInt64,
    issue_id UInt64 comment 'the issue it counts in, after merges',
    own_issue_id UInt64 comment 'the issue it belongs to if merges are taken back',
    is_merged Bool comment 'its own issue is part of another one',
    is_placed Bool comment 'a person put it into its own issue',
    first_seen_at DateTime64(3, 'UTC') comment 'when it was recorded first',
    cut_at DateTime64(6, 'UTC') comment 'events received before this deletion of its issue do not count; 1970: nothing was deleted',
    version UInt64 comment 'entries of the logs that it was computed from: logs only grow'
)
engine = ReplacingMergeTree(version)
order by (project_id, variant_hash)
settings fsync_after_insert = 1, fsync_part_directory = 1;

create table errata_raw.issue_states
(
    project_id UInt32,
    issue_id UInt64,
    state LowCardinality(String) comment 'the decision that holds: resolve, unresolve, ignore, delete; empty: none',
    acted_at DateTime64(6, 'UTC') comment 'of that decision; 1970: none',
    actor LowCardinality(String) comment 'of that decision',
    action_id UUID comment 'of that decision; nil: none',
    resolution LowCardinality(String) comment 'now, next, release; empty: not resolved',
    release String comment 'of the resolution; empty: none',
    until DateTime64(3, 'UTC') comment 'ignored until; 1970: without an end',
    condition String comment 'what an ignored issue waits for, JSON; empty: nothing',
    returned_at DateTime64(6, 'UTC') comment 'when it came back after that decision; 1970: it did not',
    return_detail String comment 'of what brought it back, JSON',
    assignee LowCardinality(String) comment 'e-mail address; empty: nobody',
    chosen_priority LowCardinality(String) comment 'high, medium, low; empty: as computed',
    deleted_at DateTime64(6, 'UTC') comment 'the last deletion; 1970: never',
    version UInt64 comment 'entries of the log about the issue that it was computed from: the log only grows'
)
engine = ReplacingMergeTree(version)
order by (project_id, issue_id)
settings fsync_after_insert = 1, fsync_part_directory = 1;
