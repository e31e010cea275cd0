-- errata_analysis.delivery_days
-- purpose: what of each log file was delivered, repeated, rejected or is missing
-- returns: one row per project, day of the log file, host, file and file id
-- mart:    errata_mart.delivery_daily
-- columns: project_id, day, host, file, file_id, written_bytes, delivered_bytes, repeated_bytes, gap_bytes, accepted_count, rejected_count,
--   set_aside_count, first_received_at, last_received_at, lag_ms_p50, lag_ms_p95, lag_ms_max, service, built_through
-- inputs:  errata_read.published_versions, errata_mart.delivery_daily

create or replace view errata_analysis.delivery_days
(
    project_id UInt32 comment 'project id; the view projects has slugs and names'
)
definer = current_user sql security definer
as
select *
from errata_mart.delivery_daily as daily
where daily.version in (select version from errata_read.published_versions where mart = 'delivery_daily')
