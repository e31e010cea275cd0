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
        * except (file),
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

${part:batches_sent},

pieces as (
    select * except (is_empty, has_lag, lag_ms, lag_unit)
    from sent
),

${part:files_delivered}

select
    *,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from files
