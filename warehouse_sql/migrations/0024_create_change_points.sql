-- errata_mart.change_points
-- purpose: days on which a metric of a page changed its level, by E-divisive means and two more tests, with the release that lies nearest
-- grain:   one row per project, environment, page, metric, change and build, and one without a metric per project and build; the latest build holds
-- key:     project_id, built_through, environment, page, metric
-- engine:  MergeTree, made by Python once a day, kept 400 days
-- order:   the changes of one build
-- inputs:  none

create table errata_mart.change_points
(
    project_id UInt32,
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here',
    environment LowCardinality(String),
    page String comment 'empty: all pages together',
    metric LowCardinality(String) comment 'as in page_metrics_daily; empty: only tells that a build was made',
    day Date comment 'the first of the new level, UTC',
    level_before Float64 comment 'median of the daily p75 since the change before, weekdays made alike',
    level_after Float64,
    change_ratio Float64 comment '0.1: a tenth more',
    p_e_divisive Float64 comment 'permutation test; below 0.05 here',
    p_mann_whitney Float64 comment 'of the two levels',
    p_mann_kendall Float64 comment 'of both together',
    vote_count UInt8 comment 'how many of the three are below 0.05: 2 or 3',
    release String comment 'whose first page load lies nearest, within three days; empty: none',
    release_at DateTime64(3, 'UTC') comment '1970: none'
)
engine = MergeTree
order by (project_id, built_through, environment, page, metric)
ttl toDate(built_through) + interval 400 day
settings fsync_after_insert = 1;
