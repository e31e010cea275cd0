-- errata_mart.release_impact
-- purpose: what each release changed against the one before, on the same pages, devices and hours: effects with their intervals
-- grain:   one row per project, environment, release, build, page and metric; the build in release_metrics holds
-- key:     project_id, environment, release, built_through, page
-- engine:  MergeTree, made by Python; rows of builds before the last are deleted in time
-- order:   the effects of one build of a release
-- inputs:  none

create table errata_mart.release_impact
(
    project_id UInt32,
    environment LowCardinality(String),
    release String,
    built_through DateTime64(3, 'UTC') comment 'as in release_metrics',
    page String comment 'empty: all pages together',
    metric LowCardinality(String) comment 'load_ms, ttfb_ms, fcp_ms, lcp_ms, inp_ms, cls, api_ms (mean call of a view), js_bytes (scripts of a view)',
    previous_release String,
    after_count UInt64 comment 'comparable values of this release',
    before_count UInt64 comment 'of the one before',
    stratum_count UInt32 comment 'pages, devices and hours of the week that both have',
    user_count UInt64 comment 'identified users of the values of this release',
    before_p50 Float64 comment 'of the comparable values, as measured',
    before_p75 Float64,
    after_p50 Float64,
    after_p75 Float64,
    effect Float64 comment 'unit of the metric: effect_ratio of before_p50; of cls the shift itself',
    effect_low Float64 comment '95 % interval',
    effect_high Float64,
    effect_ratio Float64 comment '0.1: a tenth more; of cls: nan',
    effect_ratio_low Float64,
    effect_ratio_high Float64,
    bound_low Float64 comment 'as wide as judging at several looks needs: what the verdict goes by; a ratio, of cls a shift',
    bound_high Float64,
    p_value Float64 comment 'stratified Mann-Whitney test at one look',
    q_value Float64 comment 'Benjamini-Hochberg over pages and metrics, all looks paid for; of all pages together nan',
    slower_probability Float64 comment 'that the release is slower (or larger)',
    superiority Float64 comment 'share of like pairs in which the view of this release is the slower',
    verdict LowCardinality(String) comment 'worse, better, no_change, not_enough_data'
)
engine = MergeTree
order by (project_id, environment, release, built_through, page)
settings fsync_after_insert = 1;
