-- errata_mart.variant_daily
-- purpose: error events and users of each variant by day, environment and release: what periods of days are counted from
-- grain:   one row per project, variant, day, environment, release and deletion of its issue that they came after
-- key:     project_id, variant_hash, day, environment, release
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_mart.variant_hourly

create table errata_mart.variant_daily
(
    project_id UInt32,
    variant_hash UInt64,
    day Date,
    environment LowCardinality(String),
    release LowCardinality(String),
    after_deletion_at DateTime64(6, 'UTC') comment 'the last deletion of its issue before these were received, undone or not; 1970: none',
    event_count UInt64,
    users_state AggregateFunction(uniq, UInt64),
    first_occurred_at DateTime64(3, 'UTC'),
    last_occurred_at DateTime64(3, 'UTC'),
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here',
    version UInt64 comment 'of the build: readers see those that are published'
)
engine = MergeTree
partition by (day, version)
order by (project_id, variant_hash, day, environment, release)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

select
    project_id,
    variant_hash,
    toDate(hour) as day,
    environment,
    release,
    after_deletion_at,
    sum(event_count) as event_count,
    uniqMergeState(users_state) as users_state,
    min(first_occurred_at) as first_occurred_at,
    max(last_occurred_at) as last_occurred_at,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from errata_mart.variant_hourly
where toDate(hour) in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id, variant_hash, day, environment, release, after_deletion_at
