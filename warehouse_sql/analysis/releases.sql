-- errata_analysis.releases
-- purpose: each release as browsers saw it, with its verdict
-- returns: one row per project, environment and release
-- inputs:  errata_mart.release_metrics

create or replace view errata_analysis.releases
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    environment String comment 'in which it was seen',
    release String comment 'its name',
    previous_release String comment 'the one it is compared with; empty: none',
    first_view_at DateTime64(3, 'UTC') comment 'its first page load',
    last_day Date comment 'of its page loads, UTC',
    view_count UInt64 comment 'page loads of its days',
    user_count UInt64 comment 'identified users in the time compared',
    load_ms_p50 Float64 comment 'nan here and below: not measured',
    load_ms_p75 Float64 comment 'as load_ms_p50',
    load_ms_p95 Float64 comment 'as load_ms_p50',
    lcp_ms_p75 Float64 comment 'as load_ms_p50',
    js_bytes_p50 Float64 comment 'script bytes of a page load, as compressed, median',
    api_ms Float64 comment 'mean API call of page loads',
    error_count UInt64 comment 'error events of the release',
    session_count UInt64 comment 'sessions of the release',
    crashed_count UInt64 comment 'sessions that crashed',
    crash_free_ratio Float64 comment 'sessions without a crash, 0 to 1',
    crash_free_low Float64 comment 'of its 95 % interval',
    crash_free_high Float64 comment 'of its 95 % interval',
    new_issues Array(UInt64) comment 'first seen in this release',
    regressed_issues Array(UInt64) comment 'resolved, and seen again in this release',
    verdict String comment 'worse, better, no_change, not_enough_data',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
select
    project_id,
    environment,
    release,
    previous_release,
    first_view_at,
    last_day,
    view_count,
    user_count,
    load_ms_p50,
    load_ms_p75,
    load_ms_p95,
    lcp_ms_p75,
    js_bytes_p50,
    api_ms,
    error_count,
    session_count,
    crashed_count,
    crash_free_ratio,
    crash_free_low,
    crash_free_high,
    new_issues,
    regressed_issues,
    verdict,
    built_through
from errata_mart.release_metrics
-- Builds before the last are deleted in time.
order by built_through desc
limit 1 by project_id, environment, release
