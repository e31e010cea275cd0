-- errata_analysis.delivery_days
-- purpose: what of each log file was delivered, repeated, rejected or is missing
-- returns: one row per project, day of the log file, host, file and file id
-- inputs:  errata_read.published_versions, errata_mart.delivery_daily

create or replace view errata_analysis.delivery_days
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    day Date comment 'UTC day in the name of the file, or day of receipt where the name has none',
    host String comment 'host that reported the file',
    file String comment 'file name without rotation suffix',
    file_id String comment 'hash of the first line; empty: no batch named one',
    written_bytes UInt64 comment 'largest file size reported',
    delivered_bytes UInt64 comment 'bytes delivered, each counted once',
    repeated_bytes UInt64 comment 'bytes that another batch had already delivered',
    gap_bytes UInt64 comment 'missing bytes before delivered ones',
    accepted_count UInt64 comment 'lines accepted',
    rejected_count UInt64 comment 'lines rejected',
    set_aside_count UInt64 comment 'lines kept on the host instead of sent',
    first_received_at DateTime64(3, 'UTC') comment 'receipt of the first batch',
    last_received_at DateTime64(3, 'UTC') comment 'receipt of the last batch',
    lag_ms_p50 Float64 comment 'median lag of batches (receipt minus newest logged_at), to three digits; nan: no line has a logged_at',
    lag_ms_p95 Float64 comment '95th percentile of the lag of batches, as lag_ms_p50',
    lag_ms_max Float64 comment 'longest lag of a batch; nan: no line has a logged_at',
    service String comment 'service of the application keys of its accepted lines; (several): more than one; empty: a key without a service',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
)
definer = current_user sql security definer
as
select
    project_id,
    day,
    host,
    file,
    file_id,
    written_bytes,
    delivered_bytes,
    repeated_bytes,
    gap_bytes,
    accepted_count,
    rejected_count,
    set_aside_count,
    first_received_at,
    last_received_at,
    lag_ms_p50,
    lag_ms_p95,
    lag_ms_max,
    service,
    daily.built_through as built_through
from errata_mart.delivery_daily as daily
where daily.version in (select version from errata_read.published_versions where mart = 'delivery_daily')
