-- errata_mart.issue_totals
-- purpose: events and users of each issue, as it was put together at the build, over the periods people look at most, and of all time
-- grain:   one row per project, period, start of the period, environment (and all of them together) and issue
-- key:     project_id, period, since, is_whole, environment, issue_id
-- engine:  MergeTree, a partition per version
-- analysts: none: rows from before a deletion count in no figure, and each reader leaves them out
-- inputs:  errata_mart.variant_totals, errata_mart.issue_totals, errata_raw.variant_assignments, errata_raw.error_events

create table errata_mart.issue_totals
(
    project_id UInt32 comment 'project',
    period LowCardinality(String) comment '24h, 7d, 14d, 30d, 90d or all',
    since DateTime('UTC') comment 'start of the period',
    is_whole Bool comment 'row of all environments together',
    environment LowCardinality(String) comment 'environment of the counted events; empty when none was named, and where is_whole',
    issue_id UInt64 comment 'issue id, as in the address of the issue''s page',
    variant_hashes Array(UInt64) comment 'variants that the issue consisted of, in its row of all time and environments; empty in other rows',
    recorded_at DateTime64(3, 'UTC') comment 'when the first variant without a deletion was recorded; 2299: every variant had one',
    event_count UInt64 comment 'error events, each counted once',
    user_count UInt64 comment 'identified users',
    users_state AggregateFunction(uniq, UInt64) comment 'identified users; read with uniqMerge',
    bucket_counts Array(UInt64) comment 'events by step of the period, as in variant_totals',
    first_occurred_at DateTime64(3, 'UTC') comment 'first event, by the client''s clock',
    last_occurred_at DateTime64(3, 'UTC') comment 'last event, by the client''s clock',
    first_release String comment 'release of the first event that named one; empty: none',
    last_release String comment 'release of the last event that named one; empty: none',
    periods Array(Tuple(String, DateTime('UTC'))) comment 'periods that the build counted, with their starts',
    counted_through DateTime64(3, 'UTC') comment 'events received before this moment are counted',
    built_through DateTime64(3, 'UTC') comment 'variants assigned before this moment belong to these issues',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by version
order by (project_id, period, since, is_whole, environment, issue_id)
settings
    -- A page asks for fifty issues, each in a granule and a compressed block of its own.
    index_granularity = 64,
    min_compress_block_size = 4096,
    max_compress_block_size = 16384,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;

with (
    select (max(counted_through), max(built_through))
    from errata_mart.issue_totals
) as taken,

(
    select (max(built_through), max(periods))
    from (
        select
            built_through,
            periods
        from errata_mart.variant_totals
        limit 1
    )
) as counted,

assigned as materialized (
    select
        project_id,
        variant_hash,
        issue_id,
        cut_at,
        if(cut_at = toDateTime64(0, 6, 'UTC'), assigned.first_seen_at, toDateTime64('2299-12-31 00:00:00', 3, 'UTC')) as recorded_at
    from errata_raw.variant_assignments as assigned final
    where issue_id between {slice_from:UInt64} and {slice_to:UInt64}
),

moved as materialized (
    select
        project_id,
        variant_hash
    from errata_raw.variant_assignments final
    where assigned_at >= taken.2
),

changed as materialized (
    -- Only issues with events received, or merged or split, since the last build are counted again.
    select
        project_id,
        issue_id
    from assigned
    where
        (project_id, variant_hash) in (
            select
                project_id,
                variant_hash
            from errata_raw.error_events
            where
                received_at >= taken.1
                and received_at < counted.1
                and taken.1 > toDateTime64(0, 3, 'UTC')
        )
        or (project_id, variant_hash) in (select project_id, variant_hash from moved)
    union distinct
    select
        project_id,
        issue_id
    from errata_mart.issue_totals
    array join variant_hashes as variant_hash
    where
        period = 'all'
        and is_whole
        and (project_id, variant_hash) in (select project_id, variant_hash from moved)
),

held as (
    select distinct
        period,
        since
    from errata_mart.issue_totals
),

placed as (
    select
        totals.project_id as project_id,
        totals.period as period,
        totals.since as since,
        arrayJoin([true, false]) as is_whole,
        if(is_whole, '', totals.environment) as environment,
        assigned.issue_id as issue_id,
        totals.variant_hash as variant_hash,
        assigned.recorded_at as recorded_at,
        totals.event_count as event_count,
        totals.users_state as users_state,
        totals.bucket_counts as bucket_counts,
        totals.first_occurred_at as first_occurred_at,
        totals.last_occurred_at as last_occurred_at,
        totals.first_release as first_release,
        totals.last_release as last_release
    from errata_mart.variant_totals as totals
    inner join assigned
        on totals.project_id = assigned.project_id and totals.variant_hash = assigned.variant_hash
    where
        -- What came in before the last deletion of its issue is gone.
        totals.after_deletion_at >= assigned.cut_at
        and (
            (totals.period, totals.since) not in (select period, since from held)
            or (totals.project_id, totals.variant_hash) in (
                select
                    project_id,
                    variant_hash
                from assigned
                where (project_id, issue_id) in (select project_id, issue_id from changed)
            )
        )
)

select
    project_id,
    period,
    since,
    is_whole,
    environment,
    issue_id,
    groupUniqArrayIf(placed.variant_hash, period = 'all' and is_whole) as variant_hashes,
    min(placed.recorded_at) as recorded_at,
    sum(placed.event_count) as event_count,
    uniqMerge(placed.users_state) as user_count,
    uniqMergeState(placed.users_state) as users_state,
    sumForEach(placed.bucket_counts) as bucket_counts,
    min(placed.first_occurred_at) as first_occurred_at,
    max(placed.last_occurred_at) as last_occurred_at,
    argMinIf(placed.first_release, placed.first_occurred_at, placed.first_release != '') as first_release,
    argMaxIf(placed.last_release, placed.last_occurred_at, placed.last_release != '') as last_release,
    counted.2 as periods,
    counted.1 as counted_through,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} as version
from placed
group by project_id, period, since, is_whole, environment, issue_id
union all
select * replace (
    counted.2 as periods,
    counted.1 as counted_through,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} as version
)
from errata_mart.issue_totals as totals
where
    issue_id between {slice_from:UInt64} and {slice_to:UInt64}
    and (period, since) in (select period, since from errata_mart.variant_totals)
    and (project_id, issue_id) not in (select project_id, issue_id from changed)
settings max_bytes_before_external_group_by = 300000000, enable_materialized_cte = 1
