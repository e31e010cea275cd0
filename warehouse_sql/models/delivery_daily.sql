-- errata_mart.delivery_daily
-- purpose: what hosts told of each log file, and what of it was delivered, repeated, rejected or is missing
-- grain:   one row per project, day of the log file, host, file and file id
-- key:     project_id, day, host, file, file_id
-- engine:  MergeTree, a partition per day, swapped in whole
-- inputs:  errata_raw.deliveries

create table errata_mart.delivery_daily
(
    project_id UInt32,
    day Date comment 'by the name of the file, UTC; of receipt where it names none',
    host LowCardinality(String),
    file String comment 'without what rotation adds to its name',
    file_id String comment 'hash of its first line; empty: told by none of its batches',
    written_bytes UInt64 comment 'the largest size told',
    delivered_until UInt64 comment 'the furthest byte delivered',
    delivered_bytes UInt64 comment 'each counted once',
    repeated_bytes UInt64 comment 'those that other batches had brought before',
    gap_bytes UInt64,
    gap_count UInt32,
    gaps Array(Tuple(UInt64, UInt64)) comment 'from, to (exclusive): before what was delivered and not delivered; the first 1,000',
    accepted_count UInt64 comment 'lines',
    rejected_count UInt64 comment 'lines',
    set_aside_count UInt64 comment 'lines kept on the host, not sent',
    batch_count UInt64 comment 'reports without lines too',
    repeated_batch_count UInt64 comment 'copies of a batch that came again',
    first_received_at DateTime64(3, 'UTC'),
    last_received_at DateTime64(3, 'UTC'),
    lag_ms_p50 Float64 comment 'receipt less the newest logged_at of a batch; nan: no line said when it was written',
    lag_ms_p95 Float64,
    lag_ms_max Float64,
    hourly_lags Array(Tuple(DateTime('UTC'), UInt64)) comment 'hour of receipt, longest lag in ms',
    file_end LowCardinality(String) comment 'removed, replaced: nothing more can come; empty: it may',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
engine = MergeTree
partition by day
order by (project_id, day, host, file, file_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with told as (
    select
        project_id,
        day,
        host,
        base_name,
        file_id,
        batch_id,
        byte_from,
        byte_to,
        file_bytes,
        file_end,
        accepted_count,
        rejected_count,
        set_aside_count,
        newest_logged_at,
        received_at,
        named_date
    from errata_raw.deliveries
    where
        toDateTime(day, 'UTC') in {windows:Array(DateTime('UTC'))}
        and host != ''
        and file != ''
        -- Skips partitions: the windows' recorded first and last arrival.
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

named as (
    select
        *,
        -- What came before a shipper told of ids belongs to the file it told of first.
        argMinIf(file_id, (received_at, byte_from, file_id), file_id != '') over (
            partition by project_id, day, host, base_name
        ) as first_id
    from told
),

batches as (
    -- Of copies of a batch the one received first counts.
    select
        project_id,
        day,
        host,
        base_name as file,
        if(file_id = '', first_id, file_id) as id,
        batch_id,
        byte_from as since,
        byte_to as until,
        named.file_end as end_told,
        named_date = day as is_dated,
        min(received_at) as first_at,
        max(received_at) as last_at,
        max(file_bytes) as largest_bytes,
        argMin((accepted_count, rejected_count, set_aside_count, newest_logged_at), (received_at, rejected_count)) as first_copy,
        count() as copy_count
    from named
    group by project_id, day, host, file, id, batch_id, since, until, end_told, is_dated
),

ranges as (
    select
        * except (since, until),
        tupleElement(first_copy, 1) + tupleElement(first_copy, 2) + tupleElement(first_copy, 3) as line_count,
        -- An end says where delivery stopped; it delivers nothing itself.
        until < since or (line_count = 0 and end_told != '') as is_empty,
        if(is_empty, 0, since) as byte_from,
        if(is_empty, 0, until) as byte_to,
        greatest(largest_bytes, if(until < since, 0, until)) as size,
        max(byte_to) over (
            partition by project_id, day, host, file, id
            order by byte_from, byte_to, batch_id, end_told
            rows between unbounded preceding and 1 preceding
        ) as reached,
        -- Of a file without a day in its name only a part was written that day.
        byte_from > reached and (reached > 0 or is_dated) as is_after_gap,
        tupleElement(first_copy, 4) > toDateTime64(0, 3, 'UTC') as has_lag,
        greatest(0, toUnixTimestamp64Milli(first_at) - toUnixTimestamp64Milli(tupleElement(first_copy, 4))) as lag_ms
    from batches
),

files as (
    select
        project_id,
        day,
        host,
        file,
        id as file_id,
        max(size) as written_bytes,
        max(byte_to) as delivered_until,
        toUInt64(sumIf(byte_from - reached, is_after_gap)) as gap_bytes,
        countIf(is_after_gap) as gap_count,
        arraySort(groupArrayIf(1000)((reached, byte_from), is_after_gap)) as gaps,
        toUInt64(sum(greatest(0, toInt64(byte_to) - toInt64(greatest(byte_from, reached))))) as delivered_bytes,
        toUInt64(sum(byte_to - byte_from) - delivered_bytes) as repeated_bytes,
        sum(tupleElement(first_copy, 1)) as accepted_count,
        sum(tupleElement(first_copy, 2)) as rejected_count,
        sum(tupleElement(first_copy, 3)) as set_aside_count,
        count() as batch_count,
        toUInt64(sum(copy_count) - batch_count) as repeated_batch_count,
        min(first_at) as first_received_at,
        max(last_at) as last_received_at,
        arrayReduce('quantilesExactInclusive(0.5, 0.95, 1)', groupArrayIf(lag_ms, has_lag)) as lags,
        maxMapIf([toStartOfHour(first_at)], [toUInt64(lag_ms)], has_lag) as longest_lags,
        argMax(end_told, (end_told != '', first_at, end_told)) as last_end,
        maxIf(first_at, end_told != '') as ended_at,
        max((byte_to, -toUnixTimestamp64Milli(first_at))) as furthest
    from ranges
    group by project_id, day, host, file, file_id
)

select
    project_id,
    day,
    host,
    file,
    file_id,
    written_bytes,
    delivered_until,
    delivered_bytes,
    repeated_bytes,
    gap_bytes,
    gap_count,
    gaps,
    accepted_count,
    rejected_count,
    set_aside_count,
    batch_count,
    repeated_batch_count,
    first_received_at,
    last_received_at,
    lags[1] as lag_ms_p50,
    lags[2] as lag_ms_p95,
    lags[3] as lag_ms_max,
    arrayZip(tupleElement(longest_lags, 1), tupleElement(longest_lags, 2)) as hourly_lags,
    -- The file is there after all if more of it came later.
    if(toUnixTimestamp64Milli(ended_at) >= -tupleElement(furthest, 2), last_end, '') as file_end,
    {watermark:DateTime64(3, 'UTC')} as built_through
from files
