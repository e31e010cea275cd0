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
    project_id UInt32 comment 'project',
    hour DateTime('UTC') comment 'UTC hour in which the event occurred',
    occurred_at DateTime64(3, 'UTC') comment 'time of the event in every copy that this row stands for',
    item_id UUID comment 'event id',
    variant_hash UInt64 comment 'variant of the copy received first, of those with this time',
    received_at DateTime64(3, 'UTC') comment 'receipt of that copy',
    level LowCardinality(String) comment 'fatal, error, warning, info or debug',
    platform LowCardinality(String) comment 'platform as named by the SDK',
    environment LowCardinality(String) comment 'environment of the event; empty when none was named',
    release LowCardinality(String) comment 'release of the event; empty when none was named',
    server_name LowCardinality(String) comment 'server name, as sent',
    service LowCardinality(String) comment 'service segment of the application key; empty: none',
    transaction LowCardinality(String) comment 'transaction name, as sent',
    logger LowCardinality(String) comment 'logger name, as sent',
    type LowCardinality(String) comment 'exception type; empty: a message',
    message String comment 'message, as sent',
    is_handled Bool comment 'the application caught the exception',
    user_hash UInt64 comment 'hash of the user; 0: not identified',
    user_id String comment 'user id, as sent; empty: none',
    user_email String comment 'email address of the user, as sent; empty: none',
    user_name String comment 'name of the user, as sent; empty: none',
    user_ip String comment 'IP address of the user, as sent; empty: none',
    trace_id UUID comment 'trace of the event; nil: none',
    request_method LowCardinality(String) comment 'HTTP method of the request in which the event occurred; empty: none',
    request_url String comment 'URL of the request in which the event occurred; empty: none',
    browser LowCardinality(String) comment 'browser name, from the event or the user agent',
    os LowCardinality(String) comment 'operating system, from the event or the user agent',
    device LowCardinality(String) comment 'device, from the event or the user agent',
    tags Map(LowCardinality(String), String) comment 'tags, as sent',
    copy_count UInt32 comment 'copies with this time; 1: other copies have other times, or another event of this time has copies',
    is_counted Bool comment 'the event counts in this hour, and in no other',
    built_through DateTime64(3, 'UTC') comment 'copies received before this moment are known',
    version UInt64 comment 'version written by a build; readers see published versions only'
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
