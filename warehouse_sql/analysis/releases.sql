-- errata_analysis.releases
-- purpose: each release as browsers saw it, with its verdict
-- returns: one row per project, environment and release
-- inputs:  errata_mart.release_metrics

create or replace view errata_analysis.releases
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    environment String comment 'environment in which the release was seen',
    release String comment 'name of the release',
    previous_release String comment 'release that this one is compared with; empty: none',
    first_view_at DateTime64(3, 'UTC') comment 'first page load of the release',
    last_day Date comment 'last UTC day with page loads of the release',
    view_count UInt64 comment 'page loads of the release',
    user_count UInt64 comment 'identified users with page loads in the time compared',
    load_ms_p50 Float64 comment 'median load time, a lower bound if unended_count is not 0; nan: not measured',
    load_ms_p75 Float64 comment '75th percentile of the load time; nan: not measured',
    load_ms_p95 Float64 comment '95th percentile of the load time; nan: not measured',
    unended_count UInt64 comment 'page loads that had not ended when they were reported: they count with the time until which they are known to have lasted',
    load_ms_p50_at_most Float64 comment 'what load_ms_p50 is at most, whenever the unended loads ended; nan: no bound',
    load_ms_p75_at_most Float64 comment 'the same of load_ms_p75',
    load_ms_p95_at_most Float64 comment 'the same of load_ms_p95',
    lcp_ms_p75 Float64 comment '75th percentile of the largest contentful paint; nan: not measured',
    js_bytes_p50 Float64 comment 'median compressed size of scripts in a page load, of at most 2,000 loads chosen by hash',
    api_ms Float64 comment 'mean duration of API calls in page loads',
    error_count UInt64 comment 'error events of the release in this environment',
    error_rate_unit String comment 'what errors are counted per: session, or load where no sessions are sent; empty: nothing to compare',
    error_rate Float64 comment 'errors per session or page load in the time compared, of an identified user at most one in six hours; nan here and below: nothing to compare',
    error_rate_before Float64 comment 'the same of the previous release',
    error_ratio Float64 comment 'factor between both, other things equal: 1.8 is 1.8 times as many errors',
    error_ratio_low Float64 comment 'lower end of the 95% interval of error_ratio',
    error_ratio_high Float64 comment 'upper end of the 95% interval of error_ratio',
    error_verdict String comment 'worse, better, no_change or not_enough_data, by errors',
    session_count UInt64 comment 'sessions of the release in this environment',
    crashed_count UInt64 comment 'sessions of the release that crashed',
    crash_free_ratio Float64 comment 'share of sessions without a crash, 0 to 1; nan: no sessions',
    crash_free_low Float64 comment 'lower end of the 95% interval of crash_free_ratio',
    crash_free_high Float64 comment 'upper end of the 95% interval of crash_free_ratio',
    new_issues Array(UInt64) comment 'issues first seen in this release',
    regressed_issues Array(UInt64) comment 'resolved issues seen again in this release',
    verdict String comment 'worse, better, no_change or not_enough_data, by the load time of all pages',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
)
definer = current_user sql security definer
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
    unended_count,
    load_ms_p50_at_most,
    load_ms_p75_at_most,
    load_ms_p95_at_most,
    lcp_ms_p75,
    js_bytes_p50,
    api_ms,
    error_count,
    error_rate_unit,
    error_rate,
    error_rate_before,
    error_ratio,
    error_ratio_low,
    error_ratio_high,
    error_verdict,
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
