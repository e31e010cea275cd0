-- errata_mart.delivery_daily
-- purpose: what hosts reported of each log file, and what of it was delivered, repeated, rejected or is missing
-- grain:   one row per project, day of the log file, host, file and file id
-- key:     project_id, day, host, file, file_id
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_raw.deliveries

create table errata_mart.delivery_daily
(
    project_id UInt32 comment 'project',
    day Date comment 'UTC day in the name of the file, or day of receipt where the name has none',
    host LowCardinality(String) comment 'host that reported the file',
    file String comment 'file name without rotation suffix',
    file_id String comment 'hash of the first line; empty: no batch named one',
    first_file_id String comment 'first file_id reported under this name; rows without an id belong to this file',
    written_bytes UInt64 comment 'largest file size reported',
    delivered_until UInt64 comment 'offset after the furthest byte delivered',
    delivered_bytes UInt64 comment 'bytes delivered, each counted once',
    repeated_bytes UInt64 comment 'bytes that another batch had already delivered',
    gap_bytes UInt64 comment 'missing bytes before delivered ones',
    gap_count UInt32 comment 'stretches of missing bytes before delivered ones',
    gaps Array(Tuple(UInt64, UInt64)) comment 'start and end (excluded) of each stretch of missing bytes before delivered ones',
    accepted_count UInt64 comment 'lines accepted',
    rejected_count UInt64 comment 'lines rejected',
    set_aside_count UInt64 comment 'lines kept on the host instead of sent',
    batch_count UInt64 comment 'batches, including reports without lines',
    repeated_batch_count UInt64 comment 'copies of batches that had already arrived',
    first_received_at DateTime64(3, 'UTC') comment 'receipt of the first batch',
    last_received_at DateTime64(3, 'UTC') comment 'receipt of the last batch',
    lag_ms_p50 Float64 comment 'median lag of batches (receipt minus newest logged_at), to three digits; nan: no line has a logged_at',
    lag_ms_p95 Float64 comment '95th percentile of the lag of batches, as lag_ms_p50',
    lag_ms_max Float64 comment 'longest lag of a batch; nan: no line has a logged_at',
    lag_counts Array(Tuple(UInt64, UInt64)) comment 'each lag in ms, to three digits, and its number of batches',
    hourly_lags Array(Tuple(DateTime('UTC'), UInt64)) comment 'each hour of receipt and its longest lag in ms',
    end_told LowCardinality(String) comment 'last reported end of the file: removed or replaced; empty: none',
    ended_at DateTime64(3, 'UTC') comment 'receipt of the report of that end; 1970: none',
    furthest_at DateTime64(3, 'UTC') comment 'first receipt of the furthest byte',
    file_end LowCardinality(String) comment 'removed or replaced: no more bytes can arrive; empty: more may arrive',
    service LowCardinality(String) comment 'service of the application keys of its accepted lines; (several): more than one; empty: a key without a service',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (day, version)
order by (project_id, day, host, file, file_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with named as (
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
        service,
        named_date,
        -- Batches without a file ID, from older shippers, belong to the first file reported under the name.
        argMinIf(file_id, (received_at, byte_from, file_id), file_id != '') over (
            partition by project_id, day, host, base_name
        ) as first_id,
        true as is_new
    from errata_raw.deliveries
    where
        toDateTime(day, 'UTC') in {windows:Array(DateTime('UTC'))}
        and host != ''
        and file != ''
        -- Skips partitions: the windows' recorded first and last arrival.
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

batches as (
    -- Of copies of a batch the one received first counts.
    select
        project_id,
        day,
        host,
        base_name as file,
        if(file_id = '', first_id, file_id) as id,
        first_id,
        batch_id,
        byte_from as since,
        byte_to as until,
        named.file_end as end_told,
        named_date = day as is_dated,
        countIf(not is_new) > 0 as is_known,
        countIf(is_new) as copy_count,
        minIf(received_at, is_new) as first_at,
        maxIf(received_at, is_new) as last_at,
        maxIf(file_bytes, is_new) as largest_bytes,
        argMinIf(
            (accepted_count, rejected_count, set_aside_count, newest_logged_at, service),
            (received_at, rejected_count),
            is_new
        ) as first_copy
    from named
    group by project_id, day, host, file, id, first_id, batch_id, since, until, end_told, is_dated
    having copy_count > 0
),

sent as (
    select
        project_id,
        day,
        host,
        file,
        id,
        first_id,
        is_dated,
        -- An end says where delivery stopped; it delivers nothing itself.
        is_known
            or until < since
            or (end_told != '' and first_copy.1 + first_copy.2 + first_copy.3 = 0) as is_empty,
        if(is_empty, 0, since) as byte_from,
        if(is_empty, 0, until) as byte_to,
        greatest(largest_bytes, if(until < since, 0, until)) as size,
        toUInt64(0) as repeated_bytes,
        toUInt64(if(is_known, 0, first_copy.1)) as accepted_count,
        toUInt64(if(is_known, 0, first_copy.2)) as rejected_count,
        toUInt64(if(is_known, 0, first_copy.3)) as set_aside_count,
        toUInt64(not is_known) as batch_count,
        toUInt64(copy_count - batch_count) as repeated_batch_count,
        first_at,
        last_at,
        not is_known and first_copy.4 > toDateTime64(0, 3, 'UTC') as has_lag,
        toUInt64(greatest(0, toUnixTimestamp64Milli(first_at) - toUnixTimestamp64Milli(first_copy.4))) as lag_ms,
        -- Three digits are enough, so that a day of batches makes few numbers.
        toUInt64(intExp10(greatest(0, length(toString(lag_ms)) - 3))) as lag_unit,
        if(has_lag, [intDiv(lag_ms, lag_unit) * lag_unit], []) as lag_values,
        if(has_lag, [toUInt64(1)], []) as lag_numbers,
        if(has_lag, [toStartOfHour(first_at)], []) as lag_hours,
        if(has_lag, [lag_ms], []) as hour_lags,
        if(is_known, '', end_told) as piece_end,
        if(piece_end = '', toDateTime64(0, 3, 'UTC'), first_at) as piece_ended_at,
        first_at as reached_at,
        first_copy.5 as service
    from batches
),

pieces as (
    select
        project_id,
        day,
        host,
        file,
        id,
        first_id,
        is_dated,
        byte_from,
        byte_to,
        size,
        repeated_bytes,
        accepted_count,
        rejected_count,
        set_aside_count,
        batch_count,
        repeated_batch_count,
        first_at,
        last_at,
        lag_values,
        lag_numbers,
        lag_hours,
        hour_lags,
        piece_end,
        piece_ended_at,
        reached_at,
        service
    from sent
),

ranges as (
    select
        *,
        max(byte_to) over (
            partition by project_id, day, host, file, id
            order by byte_from, byte_to
            rows between unbounded preceding and 1 preceding
        ) as reached,
        -- Of a file without a day in its name only a part was written that day.
        byte_from > reached and (reached > 0 or is_dated) as is_after_gap
    from pieces
),

files as (
    select
        project_id,
        day,
        host,
        file,
        id as file_id,
        any(first_id) as first_file_id,
        max(size) as written_bytes,
        max(byte_to) as delivered_until,
        toUInt64(sum(greatest(0, toInt64(byte_to) - toInt64(greatest(byte_from, reached))))) as delivered_bytes,
        toUInt64(sum(ranges.repeated_bytes) + sum(byte_to - byte_from) - delivered_bytes) as repeated_bytes,
        toUInt64(sumIf(byte_from - reached, is_after_gap)) as gap_bytes,
        toUInt32(countIf(is_after_gap)) as gap_count,
        arraySort(groupArrayIf((reached, byte_from), is_after_gap)) as gaps,
        sum(ranges.accepted_count) as accepted_count,
        sum(ranges.rejected_count) as rejected_count,
        sum(ranges.set_aside_count) as set_aside_count,
        sum(ranges.batch_count) as batch_count,
        sum(ranges.repeated_batch_count) as repeated_batch_count,
        min(first_at) as first_received_at,
        max(last_at) as last_received_at,
        sumMap(lag_values, lag_numbers) as lags,
        maxMap(lag_hours, hour_lags) as longest_lags,
        arrayReduce('quantilesExactWeighted(0.5, 0.95)', lags.1, lags.2) as percentiles,
        if(empty(lags.1), nan, toFloat64(percentiles[1])) as lag_ms_p50,
        if(empty(lags.1), nan, toFloat64(percentiles[2])) as lag_ms_p95,
        if(empty(lags.1), nan, toFloat64(arrayMax(longest_lags.2))) as lag_ms_max,
        arrayZip(lags.1, lags.2) as lag_counts,
        arrayZip(longest_lags.1, longest_lags.2) as hourly_lags,
        -- Reports and refused lines don't tell whose a file with accepted lines is.
        groupUniqArrayIf(ranges.service, ranges.batch_count > 0) as batch_services,
        groupUniqArrayIf(ranges.service, ranges.accepted_count > 0) as line_services,
        if(empty(line_services), batch_services, line_services) as services,
        if(length(services) = 1, services[1], '(several)') as service,
        max((piece_ended_at, piece_end)) as last_end,
        -- The furthest byte, and the moment it first came.
        max((byte_to, -toUnixTimestamp64Milli(reached_at))) as furthest
    from ranges
    group by project_id, day, host, file, file_id
)

select
    project_id,
    day,
    host,
    file,
    file_id,
    first_file_id,
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
    lag_ms_p50,
    lag_ms_p95,
    lag_ms_max,
    lag_counts,
    hourly_lags,
    last_end.2 as end_told,
    last_end.1 as ended_at,
    fromUnixTimestamp64Milli(-furthest.2, 'UTC') as furthest_at,
    -- The file is there after all if more of it came later.
    if(ended_at >= furthest_at, end_told, '') as file_end,
    service,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from files
