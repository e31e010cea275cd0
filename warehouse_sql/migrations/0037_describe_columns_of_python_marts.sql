-- errata_mart.similar_issues, errata_mart.regrouping_proposals, errata_mart.release_metrics, errata_mart.release_impact, errata_mart.change_points, errata_mart.budget_status
-- purpose: every column says what it holds
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.similar_issues
    comment column project_id 'project',
    comment column issue_id 'later issue of the pair, the one that would be merged',
    comment column other_issue_id 'earlier issue of the pair, the one that would stay',
    comment column found_at 'when the pair was found',
    comment column score 'similarity of the two most similar stacks, 0 to 1',
    comment column is_near_certain 'similar enough to merge without asking',
    comment column reason 'shared frames and other matches, JSON';

alter table errata_mart.regrouping_proposals
    comment column project_id 'project',
    comment column rules_hash 'hash of the version and the text of the rules',
    comment column variant_hash 'variant: one distinct stack and message shape',
    comment column fingerprint_hash 'hash of the proposed fingerprint',
    comment column fingerprint 'proposed fingerprint of the variant',
    comment column proposed_at 'when the proposal was computed';

alter table errata_mart.release_metrics
    comment column project_id 'project',
    comment column environment 'environment in which the release was seen',
    comment column release 'name of the release',
    comment column built_through 'rows received before this moment are counted',
    comment column previous_release 'release that this one is compared with; empty: none',
    comment column first_view_at 'first page load of the release',
    comment column last_day 'last UTC day with page loads of the release',
    comment column view_count 'page loads of the release, as in page_metrics_daily',
    comment column user_count 'identified users with page loads in the time compared',
    comment column load_ms_p50 'median load time; nan: not measured',
    comment column load_ms_p75 '75th percentile of the load time; nan: not measured',
    comment column load_ms_p95 '95th percentile of the load time; nan: not measured',
    comment column lcp_ms_p75 '75th percentile of the largest contentful paint; nan: not measured',
    comment column js_bytes_p50 'median compressed size of scripts in a page load, of at most 2,000 loads chosen by hash',
    comment column api_ms 'mean duration of API calls in page loads',
    comment column error_count 'error events of the release in this environment',
    comment column session_count 'sessions of the release in this environment',
    comment column crashed_count 'sessions of the release that crashed',
    comment column crash_free_ratio 'share of sessions without a crash, 0 to 1; nan: no sessions',
    comment column crash_free_low 'lower end of the 95% interval of crash_free_ratio',
    comment column crash_free_high 'upper end of the 95% interval of crash_free_ratio',
    comment column crash_free_change 'crash_free_ratio minus that of the previous release',
    comment column crash_free_change_low 'lower end of the 95% interval of crash_free_change',
    comment column crash_free_change_high 'upper end of the 95% interval of crash_free_change',
    comment column new_issues 'issues first seen in this release',
    comment column regressed_issues 'resolved issues seen again in this release',
    comment column look_hours 'age of the release in hours at its last interim analysis; 0: none yet',
    comment column next_look_at 'time of the next interim analysis; 1970: none is left',
    comment column verdict 'worse, better, no_change or not_enough_data, by the load time of all pages',
    comment column source_count 'page loads of this and the previous release at the build; growth causes a new comparison';

alter table errata_mart.release_impact
    comment column project_id 'project',
    comment column environment 'environment in which the release was seen',
    comment column release 'name of the release',
    comment column built_through 'rows received before this moment are counted, as in release_metrics',
    comment column page 'page; empty: all pages together',
    comment column metric 'load_ms, ttfb_ms, fcp_ms, lcp_ms, inp_ms, cls, api_ms (mean call of a view) or js_bytes (scripts of a view)',
    comment column previous_release 'release that this one is compared with',
    comment column after_count 'comparable values of this release',
    comment column before_count 'comparable values of the previous release',
    comment column stratum_count 'combinations of page, device and hour of the week found in both releases',
    comment column user_count 'identified users behind the values of this release',
    comment column before_p50 'median of the previous release, over comparable values',
    comment column before_p75 '75th percentile of the previous release, over comparable values',
    comment column after_p50 'median of this release, over comparable values',
    comment column after_p75 '75th percentile of this release, over comparable values',
    comment column effect 'difference in the unit of the metric: effect_ratio of before_p50; for cls the shift itself',
    comment column effect_low 'lower end of the 95% interval of effect',
    comment column effect_high 'upper end of the 95% interval of effect',
    comment column effect_ratio 'relative difference: 0.1 is 10% more; nan for cls',
    comment column effect_ratio_low 'lower end of the 95% interval of effect_ratio',
    comment column effect_ratio_high 'upper end of the 95% interval of effect_ratio',
    comment column bound_low 'lower end of the interval behind the verdict, widened for interim analyses; a ratio, for cls a shift',
    comment column bound_high 'upper end of the interval behind the verdict, as bound_low',
    comment column p_value 'p-value of the stratified Mann-Whitney test, for a single analysis',
    comment column q_value 'Benjamini-Hochberg q-value over pages and metrics, corrected for interim analyses; nan for all pages together',
    comment column slower_probability 'probability that the release is slower (or larger)',
    comment column superiority 'share of comparable pairs in which the view of this release is the slower one',
    comment column verdict 'worse, better, no_change or not_enough_data';

alter table errata_mart.change_points
    comment column project_id 'project',
    comment column built_through 'rows received before this moment are counted',
    comment column environment 'environment of the views',
    comment column page 'page; empty: all pages together',
    comment column metric 'metric, as in page_metrics_daily; empty: the row only records a build',
    comment column day 'first UTC day of the new level',
    comment column level_before 'median of the daily p75 since the previous shift, adjusted for weekdays',
    comment column level_after 'median of the daily p75 from this day on, adjusted for weekdays',
    comment column change_ratio 'relative change: 0.1 is 10% more',
    comment column p_e_divisive 'p-value of the permutation test of E-divisive means, below 0.05',
    comment column p_mann_whitney 'p-value of the Mann-Whitney test of both levels',
    comment column p_mann_kendall 'p-value of the Mann-Kendall test of both levels together',
    comment column vote_count 'how many of the three tests are below 0.05: 2 or 3',
    comment column release 'release whose first page load is nearest, within three days; empty: none',
    comment column release_at 'first page load of that release; 1970: none';

alter table errata_mart.budget_status
    comment column project_id 'project',
    comment column budget_id 'budget id, as in the address of the budget''s page',
    comment column window_end 'end of the window, excluded',
    comment column built_through 'rows received before this moment are counted',
    comment column name 'name of the budget at that time',
    comment column metric 'metric of page_metrics_hourly, or server_ or call_ with ms or error_ratio',
    comment column statistic 'p1 to p99, mean or ratio',
    comment column threshold 'limit in the unit of the metric; a window above the limit is breached',
    comment column pattern 'pages, or method and route; * matches anything, empty matches all',
    comment column environment 'environment; empty: all',
    comment column device 'device; empty: all',
    comment column window_hours 'length of the window in hours',
    comment column least_samples 'samples below which the outcome is unknown',
    comment column sample_count 'page loads or calls of the window',
    comment column value 'measured value; nan: no samples',
    comment column outcome 'outcome of this window alone: kept, breached or unknown',
    comment column state 'outcome of three of the latest four windows; without three alike, the previous state';
