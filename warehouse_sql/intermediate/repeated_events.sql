-- errata_mart.repeated_events
-- purpose: the error events that were delivered more than once, and what occurred at the same moments: whoever reads raw rows reads
--   those moments here, and need not look for copies anywhere
-- grain:   one row per project, event that has copies, or occurred at the same millisecond as one that has, and moment that they name; of its copies
--   the one received first
-- key:     project_id, hour, item_id
-- engine:  MergeTree, a partition per day and version; only dirty hours are computed from raw
-- inputs:  errata_raw.error_events, errata_read.copies_elsewhere

create table errata_mart.repeated_events
(
    project_id UInt32,
    hour DateTime('UTC') comment 'in which it occurred',
    occurred_at DateTime64(3, 'UTC') comment 'of every copy that this row stands for',
    item_id UUID,
    variant_hash UInt64 comment 'of the copy of this moment received first',
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
    copy_count UInt32 comment 'of this moment; 1: copies name other moments, or only another event of this one has any',
    is_counted Bool comment 'the event counts here: of its copies in all hours this is the first',
    built_through DateTime64(3, 'UTC') comment 'copies received before it are known here',
    version UInt64 comment 'of the build: readers see those that are published'
)
engine = MergeTree
partition by (toDate(hour), version)
order by (project_id, hour, item_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with several as materialized (
    select
        project_id,
        item_id,
        hour,
        is_counted
    from errata_read.copies_elsewhere(
        windows = {windows:Array(DateTime('UTC'))},
        window_start = {window_start:DateTime('UTC')},
        window_end = {window_end:DateTime64(3, 'UTC')},
        received_from = {received_from:DateTime64(3, 'UTC')},
        received_to = {received_to:DateTime64(3, 'UTC')},
        near_days = {near_days:Array(Date)}
    )
),

occurring as (
    select *
    from errata_raw.error_events as events
    where
        toStartOfHour(events.occurred_at) in {windows:Array(DateTime('UTC'))}
        and events.occurred_at >= {window_start:DateTime('UTC')}
        and events.occurred_at < {window_end:DateTime64(3, 'UTC')}
        -- Skips partitions: the windows' recorded first and last arrival.
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

moments as (
    select
        project_id,
        arrayJoin(groupUniqArray(occurred_at)) as occurred_at
    from occurring
    group by project_id, item_id
    having count() > 1
    union all
    select
        project_id,
        occurred_at
    from occurring
    where (project_id, item_id) in (select project_id, item_id from several)
)

select
    project_id,
    toStartOfHour(occurring.occurred_at) as hour,
    occurring.occurred_at as occurred_at,
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
    toUInt32(count() over (partition by project_id, item_id, occurring.occurred_at)) as copy_count,
    row_number() over (
        partition by project_id, item_id, toStartOfHour(occurring.occurred_at)
        order by received_at, occurring.occurred_at, variant_hash, environment, release, user_hash
    ) = 1
    and (project_id, item_id, toStartOfHour(occurring.occurred_at)) not in (
        select
            project_id,
            item_id,
            hour
        from several
        where not is_counted
    ) as is_counted,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(hour)) as version
from occurring
where (project_id, occurring.occurred_at) in (select project_id, occurred_at from moments)
-- First: of copies that are the same in all of these any may be the first.
order by is_counted desc, received_at, variant_hash, environment, release, user_hash
limit 1 by project_id, item_id, occurring.occurred_at
settings enable_materialized_cte = 1
