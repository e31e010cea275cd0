-- errata_mart.release_metrics
-- purpose: how many errors a session or page load has with the release, against the release before
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.release_metrics
    add column if not exists error_rate_unit LowCardinality(String) default '' comment 'what errors are counted per: session, or load where no sessions are sent; empty: nothing comparable' after error_count,
    add column if not exists error_rate Float64 default nan comment 'errors per session or page load of the release in the time compared; nan here and below: nothing comparable' after error_rate_unit,
    add column if not exists error_rate_before Float64 default nan comment 'the same of the previous release' after error_rate,
    add column if not exists compared_errors UInt64 default 0 comment 'errors of the release in the time compared, up to its last look; of a busy site those of a sample of users' after error_rate_before,
    add column if not exists compared_errors_before UInt64 default 0 comment 'the same of the previous release' after compared_errors,
    add column if not exists independent_errors Float64 default 0 comment 'independent errors that would tell as much as those of the release, since those of one user or hour are alike' after compared_errors_before,
    add column if not exists error_largest_share Float64 default 0 comment 'share of the user with most errors in the errors compared; 0: nobody is identified' after independent_errors,
    add column if not exists error_ratio Float64 default nan comment 'factor between the rates of both releases, other things equal: 1.8 is 1.8 times as many errors' after error_largest_share,
    add column if not exists error_ratio_low Float64 default nan comment 'lower end of the 95% interval of error_ratio' after error_ratio,
    add column if not exists error_ratio_high Float64 default nan comment 'upper end of the 95% interval of error_ratio' after error_ratio_low,
    add column if not exists error_verdict LowCardinality(String) default 'not_enough_data' comment 'worse, better, no_change or not_enough_data, by error_ratio at the last look, with bounds that hold over all looks' after error_ratio_high,
    add column if not exists error_reason LowCardinality(String) default '' comment 'why there is not enough data: few_users, one_user or empty' after error_verdict;
