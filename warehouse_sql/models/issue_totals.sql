-- errata_mart.issue_totals
-- purpose: the issue list without counting: what each issue is and has in the periods people look at most, as it was put together at the build
-- grain:   one row per project, period, start of the period, environment (and all of them together) and issue
-- key:     project_id, period, since, is_whole, environment, issue_id
-- engine:  MergeTree, a partition per version
-- inputs:  errata_mart.variant_totals, errata_read.issue_variants, errata_read.issue_states

create table errata_mart.issue_totals
(
    project_id UInt32,
    period LowCardinality(String) comment '24h, 7d, 14d, 30d, 90d or all',
    since DateTime('UTC') comment 'start of the period',
    is_whole Bool comment 'all environments together',
    environment LowCardinality(String) comment 'is_whole: empty',
    issue_id UInt64,
    status LowCardinality(String) comment 'unresolved, resolved, regressed, ignored',
    assignee LowCardinality(String) comment 'e-mail address; empty: nobody',
    chosen_priority LowCardinality(String) comment 'high, medium, low; empty: as computed',
    title String,
    culprit String,
    type LowCardinality(String),
    level LowCardinality(String),
    platform LowCardinality(String),
    texts Array(Tuple(title String, culprit String, type String)) comment 'of each variant',
    variant_hashes Array(UInt64) comment 'period all, is_whole: what the issue is put together from; else empty',
    event_count UInt64,
    user_count UInt64,
    users_state AggregateFunction(uniq, UInt64),
    bucket_counts Array(UInt64) comment 'events by step of the period, as in variant_totals',
    first_seen DateTime64(3, 'UTC') comment 'of all time',
    last_seen DateTime64(3, 'UTC') comment 'of all time',
    first_release LowCardinality(String) comment 'of all time; empty: none',
    last_release LowCardinality(String) comment 'of all time; empty: none',
    deleted_at DateTime64(6, 'UTC') comment '1970: never',
    counted_through DateTime64(3, 'UTC') comment 'events received before it are counted here',
    built_through DateTime64(3, 'UTC') comment 'decisions made before it hold here',
    version UInt64 comment 'of the build: readers see those that are published'
)
engine = MergeTree
partition by version
order by (project_id, period, since, is_whole, environment, issue_id)
settings
    -- A page asks for fifty issues, each in a granule of its own.
    index_granularity = 256,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;

with variants as materialized (
    -- Once: what is counted and what is said of who belongs where must agree.
    select
        project_id,
        variant_hash,
        issue_id,
        is_merged,
        first_seen_at,
        title,
        culprit,
        type,
        level,
        platform
    from errata_read.issue_variants
    where issue_id between {slice_from:UInt64} and {slice_to:UInt64}
),

looks as (
    select
        project_id,
        issue_id,
        argMin(variants.title, (is_merged, first_seen_at)) as title,
        argMin(variants.culprit, (is_merged, first_seen_at)) as culprit,
        argMin(variants.type, (is_merged, first_seen_at)) as type,
        argMin(variants.level, (is_merged, first_seen_at)) as level,
        argMin(variants.platform, (is_merged, first_seen_at)) as platform,
        groupUniqArray((variants.title, variants.culprit, variants.type::String)) as texts,
        groupArray(variant_hash) as variant_hashes
    from variants
    group by project_id, issue_id
),

lives as (
    select
        variants.project_id as project_id,
        variants.issue_id as issue_id,
        min(
            if(is_cut, totals.first_occurred_at, least(variants.first_seen_at, totals.first_occurred_at))
        ) as first_seen,
        max(totals.last_occurred_at) as last_seen,
        argMinIf(totals.first_release, totals.first_occurred_at, totals.first_release != '') as first_release,
        argMaxIf(totals.last_release, totals.last_occurred_at, totals.last_release != '') as last_release
    from errata_mart.variant_totals as totals
    inner join variants
        on totals.project_id = variants.project_id and totals.variant_hash = variants.variant_hash
    where totals.period = 'all'
    group by project_id, issue_id
),

placed as (
    select
        totals.project_id as project_id,
        totals.period as period,
        totals.since as since,
        arrayJoin([true, false]) as is_whole,
        if(is_whole, '', totals.environment) as environment,
        variants.issue_id as issue_id,
        totals.event_count as event_count,
        totals.users_state as users_state,
        totals.bucket_counts as bucket_counts
    from errata_mart.variant_totals as totals
    inner join variants
        on totals.project_id = variants.project_id and totals.variant_hash = variants.variant_hash
),

counted as (
    select
        project_id,
        period,
        since,
        is_whole,
        environment,
        issue_id,
        sum(placed.event_count) as event_count,
        uniqMergeState(placed.users_state) as users_state,
        sumForEach(placed.bucket_counts) as bucket_counts
    from placed
    group by project_id, period, since, is_whole, environment, issue_id
)

select
    counted.project_id as project_id,
    counted.period as period,
    counted.since as since,
    counted.is_whole as is_whole,
    counted.environment as environment,
    counted.issue_id as issue_id,
    if(states.status = '', 'unresolved', states.status) as status,
    states.assignee as assignee,
    states.chosen_priority as chosen_priority,
    looks.title as title,
    looks.culprit as culprit,
    looks.type as type,
    looks.level as level,
    looks.platform as platform,
    looks.texts as texts,
    if(counted.period = 'all' and counted.is_whole, looks.variant_hashes, []) as variant_hashes,
    counted.event_count as event_count,
    toUInt64(finalizeAggregation(counted.users_state)) as user_count,
    counted.users_state as users_state,
    counted.bucket_counts as bucket_counts,
    lives.first_seen as first_seen,
    lives.last_seen as last_seen,
    lives.first_release as first_release,
    lives.last_release as last_release,
    states.deleted_at as deleted_at,
    (select max(built_through) from errata_mart.variant_totals) as counted_through,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} as version
from counted
inner join looks on counted.project_id = looks.project_id and counted.issue_id = looks.issue_id
inner join lives on counted.project_id = lives.project_id and counted.issue_id = lives.issue_id
left join errata_read.issue_states as states
    on counted.project_id = states.project_id and counted.issue_id = states.issue_id
settings max_bytes_before_external_group_by = 300000000, enable_materialized_cte = 1
