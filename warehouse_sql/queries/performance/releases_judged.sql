-- releases_judged
-- purpose: the releases of a project with their figures and verdicts, as of the last build of each
-- definition: Loads counts the page loads of a release, each once. Those that had not ended when they were reported count with the
--   time until which they are known to have lasted. The verdict compares them with loads of the release before, other things equal.
-- parameters: environment (empty: all), since, until
-- returns: one row per environment and release that was seen in the range: the columns of release_metrics, the latest first
-- inputs:  errata_mart.release_metrics

select
    environment::String as environment,
    release,
    built_through,
    counted_through,
    previous_release,
    first_view_at,
    last_day,
    view_count,
    user_count,
    load_ms_p50,
    load_ms_p75,
    load_ms_p95,
    load_ms_p50_at_most,
    load_ms_p75_at_most,
    load_ms_p95_at_most,
    timed_count,
    unended_count,
    lcp_ms_p75,
    js_bytes_p50,
    api_ms,
    error_count,
    error_rate_unit::String as error_rate_unit,
    error_rate,
    error_rate_before,
    compared_errors,
    compared_errors_before,
    independent_errors,
    error_largest_share,
    error_ratio,
    error_ratio_low,
    error_ratio_high,
    error_verdict::String as error_verdict,
    error_reason::String as error_reason,
    session_count,
    crashed_count,
    crash_free_ratio,
    crash_free_low,
    crash_free_high,
    crash_free_change,
    crash_free_change_low,
    crash_free_change_high,
    crash_free_users,
    crash_free_users_low,
    crash_free_users_high,
    crash_free_users_change,
    crash_free_users_change_low,
    crash_free_users_change_high,
    crash_verdict::String as crash_verdict,
    independent_sessions,
    new_issues,
    regressed_issues,
    look_hours,
    next_look_at,
    verdict::String as verdict,
    moved_mix
from errata_mart.release_metrics
where
    last_day >= toDate({since:DateTime('UTC')})
    and first_view_at < {until:DateTime64(3, 'UTC')}
    and ({environment:String} = '' or environment = {environment:String})
order by built_through desc
limit 1 by environment, release
