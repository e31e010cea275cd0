-- errata_analysis.releases
-- purpose: each release as browsers saw it, with its verdict
-- returns: one row per project, environment and release
-- mart:    errata_mart.release_metrics
-- columns: project_id, environment, release, previous_release, first_view_at, last_day, view_count, user_count, load_ms_p50, load_ms_p75,
--   load_ms_p95, unended_count, load_ms_p50_at_most, load_ms_p75_at_most, load_ms_p95_at_most, lcp_ms_p75, js_bytes_p50, api_ms, error_count,
--   error_rate_unit, error_rate, error_rate_before, error_ratio, error_ratio_low, error_ratio_high, error_verdict, session_count, crashed_count,
--   crash_free_ratio, crash_free_low, crash_free_high, new_issues, regressed_issues, verdict, built_through
-- inputs:  errata_mart.release_metrics

create or replace view errata_analysis.releases
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    view_count UInt64 comment 'page loads of the release',
    load_ms_p50 Float64 comment 'median load time, a lower bound if unended_count is not 0; nan: not measured',
    error_rate_unit String comment 'what errors are counted per: session, or load where no sessions are sent; empty: nothing to compare',
    error_rate Float64 comment 'errors per session or page load in the time compared, of an identified user at most one in six hours; nan here and below: nothing to compare',
    error_ratio Float64 comment 'factor between both, other things equal: 1.8 is 1.8 times as many errors',
    error_verdict String comment 'worse, better, no_change or not_enough_data, by errors',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
)
definer = current_user sql security definer
as
select *
from errata_mart.release_metrics
-- Builds before the last are deleted in time.
order by built_through desc
limit 1 by project_id, environment, release
