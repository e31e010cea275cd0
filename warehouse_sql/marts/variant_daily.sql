-- errata_mart.variant_daily
-- purpose: error events and users of each variant by day, environment and release: what periods of days are counted from
-- grain:   one row per project, variant, day, environment, release and deletion of its issue that they came after
-- key:     project_id, variant_hash, day, environment, release
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_mart.variant_hourly

create table errata_mart.variant_daily
(
    project_id UInt32 comment 'project',
    variant_hash UInt64 comment 'variant: one distinct stack and message shape',
    day Date comment 'UTC day on which the events occurred',
    environment LowCardinality(String) comment 'environment of the counted events; empty when none was named',
    release LowCardinality(String) comment 'release of the counted events; empty when none was named',
    after_deletion_at DateTime64(6, 'UTC') comment 'last deletion of the issue before the events were received, even if undone; 1970: none',
    event_count UInt64 comment 'error events, each counted once',
    users_state AggregateFunction(uniq, UInt64) comment 'identified users; read with uniqMerge',
    first_occurred_at DateTime64(3, 'UTC') comment 'first event, by the client''s clock',
    last_occurred_at DateTime64(3, 'UTC') comment 'last event, by the client''s clock',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
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
