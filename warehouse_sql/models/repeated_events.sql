-- errata_mart.repeated_events
-- purpose: the error events that were delivered more than once, and what occurred at the same moments: whoever reads raw rows reads
--   those moments here, and need not look for copies anywhere
-- grain:   one row per project and event that has copies, or occurred at the same millisecond as one that has; of its copies the one that counts
-- key:     project_id, hour, item_id
-- engine:  MergeTree, a partition per day, swapped in whole; only dirty hours are computed from raw
-- inputs:  errata_raw.error_events

create table errata_mart.repeated_events
(
    project_id UInt32,
    hour DateTime('UTC') comment 'in which it occurred',
    occurred_at DateTime64(3, 'UTC') comment 'of every copy',
    item_id UUID,
    variant_hash UInt64 comment 'of the copy that counts: the one received first',
    received_at DateTime64(3, 'UTC') comment 'when that copy was received',
    level LowCardinality(String),
    platform LowCardinality(String),
    environment LowCardinality(String),
    release LowCardinality(String),
    server_name LowCardinality(String),
    service LowCardinality(String) comment 'service segment of the application key; empty: none',
    transaction LowCardinality(String),
    logger LowCardinality(String),
    type LowCardinality(String) comment 'exception type; empty: a message',
    message String,
    is_handled Bool,
    user_hash UInt64 comment '0: no user identified',
    user_id String,
    user_email String,
    user_name String,
    user_ip String,
    trace_id UUID comment 'nil: none',
    request_method LowCardinality(String),
    request_url String,
    browser LowCardinality(String),
    os LowCardinality(String),
    device LowCardinality(String),
    tags Map(LowCardinality(String), String),
    copy_count UInt32 comment '1: only another event of this moment has copies',
    built_through DateTime64(3, 'UTC') comment 'copies received before it are known here'
)
engine = MergeTree
partition by toDate(hour)
order by (project_id, hour, item_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

select
    project_id,
    toStartOfHour(events.occurred_at) as hour,
    events.occurred_at as occurred_at,
    item_id,
    variant_hash,
    received_at,
    level,
    platform,
    environment,
    release,
    server_name,
    service,
    transaction,
    logger,
    type,
    message,
    is_handled,
    user_hash,
    user_id,
    user_email,
    user_name,
    user_ip,
    trace_id,
    request_method,
    request_url,
    browser,
    os,
    device,
    tags,
    toUInt32(count() over (partition by project_id, item_id)) as copy_count,
    {watermark:DateTime64(3, 'UTC')} as built_through
from errata_raw.error_events as events
where
    toStartOfHour(events.occurred_at) in {windows:Array(DateTime('UTC'))}
    and events.occurred_at >= {window_start:DateTime('UTC')}
    and events.occurred_at < {window_end:DateTime('UTC')}
    -- Skips partitions: the windows' recorded first and last arrival.
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
    and (project_id, events.occurred_at) in (
        select
            project_id,
            any(copies.occurred_at)
        from errata_raw.error_events as copies
        where
            toStartOfHour(copies.occurred_at) in {windows:Array(DateTime('UTC'))}
            and copies.occurred_at >= {window_start:DateTime('UTC')}
            and copies.occurred_at < {window_end:DateTime('UTC')}
            and received_at >= {received_from:DateTime64(3, 'UTC')}
            and received_at < {received_to:DateTime64(3, 'UTC')}
        group by project_id, item_id
        having count() > 1
    )
order by received_at
limit 1 by project_id, item_id
