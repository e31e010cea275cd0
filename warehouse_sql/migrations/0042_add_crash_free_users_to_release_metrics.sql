-- errata_mart.release_metrics
-- purpose: users without a crash beside sessions without one, and what their change since the release before comes to
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.release_metrics
    add column if not exists crash_free_users Float64 default nan comment 'share of identified users none of whose sessions crashed, 0 to 1; nan: no user of a session is identified' after crash_free_change_high,
    add column if not exists crash_free_users_low Float64 default nan comment 'lower end of the 95% interval of crash_free_users' after crash_free_users,
    add column if not exists crash_free_users_high Float64 default nan comment 'upper end of the 95% interval of crash_free_users' after crash_free_users_low,
    add column if not exists crash_free_users_change Float64 default nan comment 'crash_free_users minus that of the previous release' after crash_free_users_high,
    add column if not exists crash_free_users_change_low Float64 default nan comment 'lower end of the 95% interval of crash_free_users_change' after crash_free_users_change,
    add column if not exists crash_free_users_change_high Float64 default nan comment 'upper end of the 95% interval of crash_free_users_change' after crash_free_users_change_low,
    add column if not exists independent_sessions Float64 default 0 comment 'independent sessions that would tell as much as those of the release, since those of one user or hour are alike' after crashed_count,
    add column if not exists crash_verdict LowCardinality(String) default 'not_enough_data' comment 'worse, better, no_change or not_enough_data, by crash-free sessions, with bounds that hold at any time of looking' after crash_free_users_change_high;
