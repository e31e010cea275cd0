-- errata_mart.issues
-- purpose: every issue with its state and its counts of all time, for analysts; pages count by variant and join when they read
-- grain:   one row per issue
-- key:     project_id, issue_id
-- engine:  MergeTree, one partition, swapped in whole
-- inputs:  errata_mart.variant_totals, errata_raw.variants, errata_raw.variant_issues,
--   errata_raw.grouping_switches, errata_raw.issue_actions

create table errata_mart.issues
(
    project_id UInt32,
    issue_id UInt64,
    title String,
    culprit String,
    type LowCardinality(String),
    level LowCardinality(String),
    platform LowCardinality(String),
    state LowCardinality(String) comment 'the last decision: resolve, unresolve or ignore; empty: nobody decided',
    acted_at DateTime64(6, 'UTC') comment 'of that decision; 1970: none',
    variant_count UInt64,
    event_count UInt64,
    user_count UInt64 comment 'identified users',
    first_seen DateTime64(3, 'UTC'),
    last_seen DateTime64(3, 'UTC'),
    first_release String,
    last_release String,
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
engine = MergeTree
partition by tuple()
order by (project_id, issue_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with switches as (
    select
        project_id,
        argMax(switches.configuration, switched_at) as configuration
    from errata_raw.grouping_switches as switches
    group by project_id
),

decided as (
    -- As errata_read.issue_variants has it.
    select
        mapped.project_id as project_id,
        mapped.variant_hash as variant_hash,
        argMaxIf(mapped.issue_id, mapped.recorded_at, mapped.authority = 2) as placed_in,
        argMaxIf(
            mapped.issue_id,
            (
                mapped.configuration = if(switches.configuration = 0, 1, switches.configuration),
                mapped.authority,
                mapped.recorded_at
            ),
            mapped.authority < 2
        ) as mapped_to,
        if(placed_in != 0, placed_in, mapped_to) as own_issue_id
    from errata_raw.variant_issues as mapped
    left join switches on mapped.project_id = switches.project_id
    group by project_id, variant_hash
),

merges as (
    select
        project_id,
        issue_id,
        argMax(if(action = 'unmerge', 0, issue_actions.target_issue_id), acted_at) as whole_issue_id
    from errata_raw.issue_actions as issue_actions
    where action in ('merge', 'unmerge', 'join', 'follow')
    group by project_id, issue_id
    having whole_issue_id not in (0, issue_id)
),

states as (
    select
        project_id,
        issue_id,
        argMax(action, issue_actions.acted_at) as state,
        max(issue_actions.acted_at) as acted_at
    from errata_raw.issue_actions as issue_actions
    where action in ('resolve', 'unresolve', 'ignore')
    group by project_id, issue_id
),

looks as (
    select
        project_id,
        variant_hash,
        min(variants.first_seen_at) as first_seen_at,
        argMin(variants.type, variants.first_seen_at) as type,
        argMin(variants.title, variants.first_seen_at) as title,
        argMin(variants.culprit, variants.first_seen_at) as culprit,
        argMin(variants.level, variants.first_seen_at) as level,
        argMin(variants.platform, variants.first_seen_at) as platform
    from errata_raw.variants as variants
    group by project_id, variant_hash
),

totals as (
    select
        project_id,
        variant_hash,
        sum(variant_totals.event_count) as event_count,
        uniqMergeState(users_state) as users_state,
        min(first_occurred_at) as first_seen,
        max(last_occurred_at) as last_seen,
        argMinIf(variant_totals.first_release, first_occurred_at, variant_totals.first_release != '') as first_release,
        argMaxIf(variant_totals.last_release, last_occurred_at, variant_totals.last_release != '') as last_release
    from errata_mart.variant_totals as variant_totals
    where
        period = 'all'
        and variant_totals.built_through = (select max(built_through) from errata_mart.variant_totals)
    group by project_id, variant_hash
),

placed as (
    select
        totals.project_id as project_id,
        totals.variant_hash as variant_hash,
        if(merges.whole_issue_id != 0, merges.whole_issue_id, decided.own_issue_id) as issue_id,
        merges.whole_issue_id != 0 as is_merged
    from totals
    inner join decided on totals.project_id = decided.project_id and totals.variant_hash = decided.variant_hash
    left join merges on decided.project_id = merges.project_id and decided.own_issue_id = merges.issue_id
)

select
    placed.project_id as project_id,
    placed.issue_id as issue_id,
    argMin(looks.title, (is_merged, first_seen_at)) as title,
    argMin(looks.culprit, (is_merged, first_seen_at)) as culprit,
    argMin(looks.type, (is_merged, first_seen_at)) as type,
    argMin(looks.level, (is_merged, first_seen_at)) as level,
    argMin(looks.platform, (is_merged, first_seen_at)) as platform,
    any(states.state) as state,
    any(states.acted_at) as acted_at,
    count() as variant_count,
    sum(totals.event_count) as event_count,
    uniqMerge(totals.users_state) as user_count,
    min(least(looks.first_seen_at, totals.first_seen)) as first_seen,
    max(totals.last_seen) as last_seen,
    argMinIf(totals.first_release, totals.first_seen, totals.first_release != '') as first_release,
    argMaxIf(totals.last_release, totals.last_seen, totals.last_release != '') as last_release,
    {watermark:DateTime64(3, 'UTC')} as built_through
from placed
inner join totals on placed.project_id = totals.project_id and placed.variant_hash = totals.variant_hash
left join looks on placed.project_id = looks.project_id and placed.variant_hash = looks.variant_hash
left join states on placed.project_id = states.project_id and placed.issue_id = states.issue_id
group by placed.project_id, placed.issue_id
