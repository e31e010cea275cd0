-- errata_mart.variant_totals
-- purpose: events and users of each variant by environment over the periods people look at most, and of all time
-- grain:   one row per project, period, start of the period, variant, environment and deletion of its issue that they came after
-- key:     project_id, period, since, variant_hash, environment
-- engine:  MergeTree, a partition per version
-- analysts: none: rows from before a deletion count in no figure, and each reader leaves them out
-- inputs:  errata_mart.variant_daily, errata_mart.variant_hourly, errata_mart.variant_totals, errata_raw.error_events

create table errata_mart.variant_totals
(
    project_id UInt32 comment 'project',
    period LowCardinality(String) comment '24h, 7d, 14d, 30d, 90d or all',
    since DateTime('UTC') comment 'start of the period; near the next start the period has rows of both',
    variant_hash UInt64 comment 'variant: one distinct stack and message shape',
    environment LowCardinality(String) comment 'environment of the counted events; empty when none was named',
    after_deletion_at DateTime64(6, 'UTC') comment 'last deletion of the issue before the events were received, even if undone; 1970: none',
    event_count UInt64 comment 'error events, each counted once',
    users_state AggregateFunction(uniq, UInt64) comment 'identified users; read with uniqMerge',
    bucket_counts Array(UInt64) comment 'events by step of the period: hours of 24h, three days of 90d, otherwise days; empty for all',
    first_occurred_at DateTime64(3, 'UTC') comment 'first event, by the client''s clock',
    last_occurred_at DateTime64(3, 'UTC') comment 'last event, by the client''s clock',
    first_release String comment 'release of the first event that named one; empty: none',
    last_release String comment 'release of the last event that named one; empty: none',
    periods Array(Tuple(String, DateTime('UTC'))) comment 'periods that the build counted, with their starts',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by version
order by (project_id, period, since, variant_hash, environment)
settings
    -- A page asks for fifty issues, each in a granule and a compressed block of its own.
    index_granularity = 64,
    min_compress_block_size = 4096,
    max_compress_block_size = 16384,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;

with taken as (
    select max(built_through) as built_through
    from errata_mart.variant_totals
),

dirty as (
    -- Only events received since the last build are counted again.
    select distinct
        project_id,
        variant_hash
    from errata_raw.error_events
    where
        received_at >= (select built_through from taken)
        and received_at < {watermark:DateTime64(3, 'UTC')}
        and (select built_through from taken) > toDateTime64(0, 3, 'UTC')
),

wanted as (
    -- Until the next build a period may start anew, an hour or a day later: then there are two of it.
    select arrayJoin(arrayDistinct(arrayConcat(
        arrayFlatten(arrayMap(
            moment -> [
                ('24h', toStartOfHour(moment - interval 24 hour), 3600, 25),
                ('7d', toStartOfDay(moment - interval 7 day), 86400, 8),
                ('14d', toStartOfDay(moment - interval 14 day), 86400, 15),
                ('30d', toStartOfDay(moment - interval 30 day), 86400, 31),
                ('90d', toStartOfDay(moment - interval 90 day), 259200, 31)
            ],
            [{watermark:DateTime64(3, 'UTC')}, {watermark:DateTime64(3, 'UTC')} + interval 40 minute]
        )),
        [('all', toDateTime(0, 'UTC'), 86400, 0)]
    ))) as span
),

held as (
    select distinct
        period,
        since
    from errata_mart.variant_totals
),

spans as (
    select groupArray((
        span.1,
        span.2,
        span.3,
        span.4,
        (span.1, span.2) in (select period, since from held)
    )) as listed
    from wanted
),

news as (
    select
        arrayExists(span -> span.1 != '24h' and not span.5, listed) as has_new_days,
        arrayExists(span -> span.1 = '24h' and not span.5, listed) as has_new_hours
    from spans
),

spread as (
    select
        project_id,
        variant_hash,
        environment,
        after_deletion_at,
        release,
        event_count,
        users_state,
        first_occurred_at,
        last_occurred_at,
        toDateTime(day, 'UTC') as bucket_at,
        arrayJoin(
            arrayFilter(
                span -> span.1 != '24h' and day >= toDate(span.2) and (is_dirty or not span.5),
                (select listed from spans)
            )
        ) as span,
        (project_id, variant_hash) in (select project_id, variant_hash from dirty) as is_dirty
    from errata_mart.variant_daily as daily
    where
        variant_hash between {slice_from:UInt64} and {slice_to:UInt64}
        -- Skips by the table's key.
        and (
            (select has_new_days from news)
            or (project_id, variant_hash) in (select project_id, variant_hash from dirty)
        )
    union all
    select
        project_id,
        variant_hash,
        environment,
        after_deletion_at,
        release,
        event_count,
        users_state,
        first_occurred_at,
        last_occurred_at,
        hour as bucket_at,
        arrayJoin(
            arrayFilter(
                span -> span.1 = '24h' and hour >= span.2 and (is_dirty or not span.5),
                (select listed from spans)
            )
        ) as span,
        (project_id, variant_hash) in (select project_id, variant_hash from dirty) as is_dirty
    from errata_mart.variant_hourly as hourly
    where
        variant_hash between {slice_from:UInt64} and {slice_to:UInt64}
        and hour >= toStartOfHour({watermark:DateTime64(3, 'UTC')} - interval 24 hour)
        and (
            (select has_new_hours from news)
            or (project_id, variant_hash) in (select project_id, variant_hash from dirty)
        )
)

select
    project_id,
    span.1 as period,
    span.2 as since,
    variant_hash,
    environment,
    after_deletion_at,
    sum(spread.event_count) as event_count,
    uniqMergeState(spread.users_state) as users_state,
    arrayResize(
        sumResample(0, 31, 1)(
            spread.event_count,
            least(intDiv(toInt64(bucket_at) - toInt64(span.2), span.3), span.4 - 1)
        ),
        any(span.4)
    ) as bucket_counts,
    min(spread.first_occurred_at) as first_occurred_at,
    max(spread.last_occurred_at) as last_occurred_at,
    argMinIf(release, spread.first_occurred_at, release != '') as first_release,
    argMaxIf(release, spread.last_occurred_at, release != '') as last_release,
    arrayMap(span -> (span.1, span.2), (select listed from spans)) as periods,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} as version
from spread
group by project_id, period, since, variant_hash, environment, after_deletion_at
union all
select * replace (
    arrayMap(span -> (span.1, span.2), (select listed from spans)) as periods,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} as version
)
from errata_mart.variant_totals as totals
where
    variant_hash between {slice_from:UInt64} and {slice_to:UInt64}
    and (period, since) in (select span.1, span.2 from wanted)
    and (project_id, variant_hash) not in (select project_id, variant_hash from dirty)
settings max_bytes_before_external_group_by = 300000000
