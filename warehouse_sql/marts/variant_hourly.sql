-- errata_mart.variant_hourly
-- purpose: error events and users of each variant by hour, environment and release: what periods of hours are counted from
-- grain:   one row per project, variant, hour, environment, release and deletion of its issue that they came after
-- key:     project_id, variant_hash, hour, environment, release
-- engine:  MergeTree, a partition per day and version; only dirty hours are computed from raw
-- analysts: none: rows from before a deletion count in no figure, and each reader leaves them out
-- inputs:  errata_raw.error_events, errata_raw.issue_actions, errata_read.copies_elsewhere

create table errata_mart.variant_hourly
(
    project_id UInt32 comment 'project',
    variant_hash UInt64 comment 'variant: one distinct stack and message shape',
    hour DateTime('UTC') comment 'UTC hour in which the events occurred',
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
partition by (toDate(hour), version)
order by (project_id, variant_hash, hour, environment, release)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with events as (
    -- Of copies of an event the one received first counts, in its hour only: as in repeated_events.
    select *
    from errata_raw.error_events
    where
        toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))}
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime64(3, 'UTC')}
        -- Skips partitions: the windows' recorded first and last arrival.
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
        and (project_id, item_id, toStartOfHour(occurred_at)) not in (
            select
                project_id,
                item_id,
                hour
            from errata_read.copies_elsewhere(
                windows = {windows:Array(DateTime('UTC'))},
                window_start = {window_start:DateTime('UTC')},
                window_end = {window_end:DateTime64(3, 'UTC')},
                received_from = {received_from:DateTime64(3, 'UTC')},
                received_to = {received_to:DateTime64(3, 'UTC')},
                near_days = {near_days:Array(Date)}
            )
            where not is_counted
        )
    order by received_at, occurred_at, variant_hash, environment, release, user_hash
    limit 1 by project_id, item_id, toStartOfHour(occurred_at)
),

deletions as (
    -- Whether one was taken back is asked by who counts: so that nothing need be computed anew for it.
    select
        project_id,
        arrayJoin(JSONExtract(detail, 'variants', 'Array(UInt64)')) as variant_hash,
        groupArray(acted_at) as moments
    from errata_raw.issue_actions
    where action = 'delete'
    group by project_id, variant_hash
)

select
    events.project_id as project_id,
    events.variant_hash as variant_hash,
    toStartOfHour(occurred_at) as hour,
    environment,
    release,
    arrayMax(arrayFilter(at -> at < received_at, moments)) as after_deletion_at,
    count() as event_count,
    uniqStateIf(user_hash, user_hash != 0) as users_state,
    min(occurred_at) as first_occurred_at,
    max(occurred_at) as last_occurred_at,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(hour)) as version
from events
left join deletions
    on events.project_id = deletions.project_id and events.variant_hash = deletions.variant_hash
group by project_id, variant_hash, hour, environment, release, after_deletion_at
