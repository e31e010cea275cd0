-- errata_analysis.delivery_days
-- purpose: what of each log file was delivered, repeated, rejected or is missing
-- returns: one row per project, day of the log file, host, file and file id
-- inputs:  errata_read.published_versions, errata_mart.delivery_daily

create or replace view errata_analysis.delivery_days
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    day Date comment 'by the name of the file, UTC',
    host String comment 'that told of it',
    file String comment 'without what rotation adds to its name',
    file_id String comment 'hash of its first line; empty: told by none of its batches',
    written_bytes UInt64 comment 'the largest size told',
    delivered_bytes UInt64 comment 'each counted once',
    repeated_bytes UInt64 comment 'those that other batches had brought before',
    gap_bytes UInt64 comment 'before what was delivered, and not delivered themselves',
    accepted_count UInt64 comment 'lines',
    rejected_count UInt64 comment 'lines',
    set_aside_count UInt64 comment 'lines kept on the host, not sent',
    first_received_at DateTime64(3, 'UTC') comment 'first batch',
    last_received_at DateTime64(3, 'UTC') comment 'last batch',
    lag_ms_p50 Float64 comment 'receipt less the newest line of a batch; nan: no line said when it was written',
    lag_ms_p95 Float64 comment 'as lag_ms_p50',
    lag_ms_max Float64 comment 'as lag_ms_p50',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
with published as (
    select version
    from errata_read.published_versions
    where mart = 'delivery_daily'
)

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
    daily.built_through as built_through
from errata_mart.delivery_daily as daily
where daily.version in (select version from published)
