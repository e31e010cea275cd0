-- errata_mart.variant_hourly
-- purpose: error events and users of each variant by hour, environment and release: what periods of hours are counted from
-- grain:   one row per project, variant, hour, environment and release
-- key:     project_id, variant_hash, hour, environment, release
-- engine:  MergeTree, a partition per day, swapped in whole; only dirty hours are computed from raw
-- inputs:  errata_raw.error_events

create table errata_mart.variant_hourly
(
    project_id UInt32,
    variant_hash UInt64,
    hour DateTime('UTC'),
    environment LowCardinality(String),
    release LowCardinality(String),
    event_count UInt64,
    users_state AggregateFunction(uniq, UInt64),
    first_occurred_at DateTime64(3, 'UTC'),
    last_occurred_at DateTime64(3, 'UTC'),
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
engine = MergeTree
partition by toDate(hour)
order by (project_id, variant_hash, hour, environment, release)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with events as (
    -- Of copies of an event the one received first counts.
    select
        project_id,
        item_id,
        variant_hash,
        occurred_at,
        environment,
        release,
        user_hash
    from errata_raw.error_events
    where
        toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))}
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime('UTC')}
        -- Skips partitions: the windows' recorded first and last arrival.
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
    order by received_at
    limit 1 by project_id, item_id
)

select
    project_id,
    variant_hash,
    toStartOfHour(occurred_at) as hour,
    environment,
    release,
    count() as event_count,
    uniqStateIf(user_hash, user_hash != 0) as users_state,
    min(occurred_at) as first_occurred_at,
    max(occurred_at) as last_occurred_at,
    {watermark:DateTime64(3, 'UTC')} as built_through
from events
group by project_id, variant_hash, hour, environment, release
