-- errata_mart.variant_totals
-- purpose: events and users of each variant by environment over the periods people look at most, and of all time
-- grain:   one row per project, variant, period and environment
-- key:     project_id, period, variant_hash, environment
-- engine:  MergeTree, one partition, swapped in whole
-- inputs:  errata_mart.variant_daily

create table errata_mart.variant_totals
(
    project_id UInt32,
    period LowCardinality(String) comment '7d, 14d, 30d, 90d or all',
    variant_hash UInt64,
    environment LowCardinality(String),
    since DateTime('UTC') comment 'start of the period; it moves on at midnight UTC',
    event_count UInt64,
    users_state AggregateFunction(uniq, UInt64),
    first_occurred_at DateTime64(3, 'UTC'),
    last_occurred_at DateTime64(3, 'UTC'),
    first_release String comment 'empty: no event named one',
    last_release String,
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
engine = MergeTree
partition by tuple()
order by (project_id, period, variant_hash, environment)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with versions as (
    -- A kill inside a swap can leave two versions of a day; the later one holds.
    select
        day,
        max(built_through) as built_through
    from errata_mart.variant_daily
    group by day
),

spread as (
    select
        project_id,
        variant_hash,
        environment,
        release,
        event_count,
        users_state,
        first_occurred_at,
        last_occurred_at,
        arrayJoin(
            arrayFilter(
                span -> day >= toDate(span.2),
                [
                    ('7d', toStartOfDay({watermark:DateTime64(3, 'UTC')} - interval 7 day)),
                    ('14d', toStartOfDay({watermark:DateTime64(3, 'UTC')} - interval 14 day)),
                    ('30d', toStartOfDay({watermark:DateTime64(3, 'UTC')} - interval 30 day)),
                    ('90d', toStartOfDay({watermark:DateTime64(3, 'UTC')} - interval 90 day)),
                    ('all', toDateTime(0, 'UTC'))
                ]
            )
        ) as span
    from errata_mart.variant_daily as daily
    where (day, daily.built_through) in (select day, built_through from versions)
)

select
    project_id,
    span.1 as period,
    variant_hash,
    environment,
    any(span.2) as since,
    sum(spread.event_count) as event_count,
    uniqMergeState(spread.users_state) as users_state,
    min(spread.first_occurred_at) as first_occurred_at,
    max(spread.last_occurred_at) as last_occurred_at,
    argMinIf(release, spread.first_occurred_at, release != '') as first_release,
    argMaxIf(release, spread.last_occurred_at, release != '') as last_release,
    {watermark:DateTime64(3, 'UTC')} as built_through
from spread
group by project_id, period, variant_hash, environment
