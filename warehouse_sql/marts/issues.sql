-- errata_mart.issues
-- purpose: every issue with its state and its counts of all time as the pages had them at the build, for analysts
-- grain:   one row per issue
-- key:     project_id, issue_id
-- engine:  MergeTree, a partition per version
-- inputs:  errata_mart.issue_totals, errata_read.issue_variants, errata_read.issue_states

create table errata_mart.issues
(
    project_id UInt32 comment 'project',
    issue_id UInt64 comment 'issue id, as in the address of the issue''s page',
    title String comment 'exception type and message of the first variant',
    culprit String comment 'frame shown as the place of the error',
    type LowCardinality(String) comment 'exception type',
    level LowCardinality(String) comment 'fatal, error, warning, info or debug',
    platform LowCardinality(String) comment 'platform as named by the SDK',
    status LowCardinality(String) comment 'unresolved, resolved, regressed or ignored',
    state LowCardinality(String) comment 'decision in force: resolve, unresolve, ignore or delete; empty: none',
    acted_at DateTime64(6, 'UTC') comment 'time of that decision; 1970: none',
    assignee String comment 'email address; empty: nobody',
    chosen_priority LowCardinality(String) comment 'priority set manually: high, medium or low; empty: computed',
    deleted_at DateTime64(6, 'UTC') comment 'last deletion; 1970: never',
    variant_count UInt64 comment 'distinct stacks and messages',
    event_count UInt64 comment 'error events, each counted once',
    user_count UInt64 comment 'identified users',
    first_seen DateTime64(3, 'UTC') comment 'first event, by the client''s clock',
    last_seen DateTime64(3, 'UTC') comment 'last event, by the client''s clock',
    first_release String comment 'release of the first event that named one; empty: none',
    last_release String comment 'release of the last event that named one; empty: none',
    decided_through DateTime64(3, 'UTC') comment 'decisions made before this moment are in force here',
    built_through DateTime64(3, 'UTC') comment 'events received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by version
order by (project_id, issue_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with looks as (
    select
        project_id,
        issue_id,
        argMin(variants.title, (is_merged, first_seen_at)) as title,
        argMin(variants.culprit, (is_merged, first_seen_at)) as culprit,
        argMin(variants.type, (is_merged, first_seen_at)) as type,
        argMin(variants.level, (is_merged, first_seen_at)) as level,
        argMin(variants.platform, (is_merged, first_seen_at)) as platform
    from errata_read.issue_variants as variants
    where issue_id between {slice_from:UInt64} and {slice_to:UInt64}
    group by project_id, issue_id
)

select
    totals.project_id as project_id,
    totals.issue_id as issue_id,
    looks.title as title,
    looks.culprit as culprit,
    looks.type as type,
    looks.level as level,
    looks.platform as platform,
    if(states.status = '', 'unresolved', states.status) as status,
    states.state as state,
    states.acted_at as acted_at,
    states.assignee as assignee,
    states.chosen_priority as chosen_priority,
    states.deleted_at as deleted_at,
    length(totals.variant_hashes) as variant_count,
    totals.event_count as event_count,
    totals.user_count as user_count,
    least(totals.recorded_at, totals.first_occurred_at) as first_seen,
    totals.last_occurred_at as last_seen,
    totals.first_release as first_release,
    totals.last_release as last_release,
    {watermark:DateTime64(3, 'UTC')} as decided_through,
    totals.counted_through as built_through,
    {version:UInt64} as version
from errata_mart.issue_totals as totals
inner join looks on totals.project_id = looks.project_id and totals.issue_id = looks.issue_id
left join errata_read.issue_states as states
    on totals.project_id = states.project_id and totals.issue_id = states.issue_id
where
    totals.period = 'all'
    and totals.is_whole
    and totals.issue_id between {slice_from:UInt64} and {slice_to:UInt64}
