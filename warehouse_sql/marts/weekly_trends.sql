-- errata_mart.weekly_trends
-- purpose: how each metric of each page went week by week
-- grain:   one row per project, ISO week, page, kind of navigation, environment and metric
-- key:     project_id, week, page, navigation_type, environment, metric
-- engine:  MergeTree, a partition per week and version
-- inputs:  errata_mart.page_metrics_daily

create table errata_mart.weekly_trends
(
    project_id UInt32 comment 'project',
    week Date comment 'Monday of the ISO week, UTC',
    page LowCardinality(String) comment 'path with {id} for variable parts, or the name of the route',
    navigation_type LowCardinality(String) comment 'navigate, soft-navigation or back-forward-cache',
    environment LowCardinality(String) comment 'environment of the counted views; empty when none was named',
    metric LowCardinality(String) comment 'metric, as in page_metrics_daily',
    sample_count UInt64 comment 'samples: views, or calls of api_ms, with a value',
    value_sum Float64 comment 'sum of all samples, in ms or bytes by the name of the metric; cls has no unit',
    p50 Float64 comment 'median: linear while every day of the week keeps its values, else by t-digest; nan: counted only',
    p75 Float64 comment '75th percentile, computed as p50',
    p95 Float64 comment '95th percentile, computed as p50',
    change_ratio Float64 comment 'p75 compared with the previous week: 0.1 is 10% more; nan: one of them has under 20 samples',
    value_state AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 't-digest, to merge pages, weeks or environments',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted, except those of days waiting for a build',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (week, version)
order by (project_id, week, page, navigation_type, environment, metric)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with weeks as materialized (
    select
        project_id,
        toStartOfWeek(day, 1) as week,
        page,
        navigation_type,
        environment,
        metric,
        sum(daily.sample_count) as sample_count,
        sum(daily.value_sum) as value_sum,
        quantilesTDigestMergeState(0.5, 0.75, 0.95)(daily.value_state) as value_state,
        if(
            countIf(empty(values) and metric != 'view') = 0 and sum(length(values)) <= 50000,
            arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(values)),
            arrayMap(value -> toFloat64(value), quantilesTDigestMerge(0.5, 0.75, 0.95)(daily.value_state))
        ) as percentiles
    from errata_mart.page_metrics_daily as daily
    where
        -- The week before is needed to compare with.
        toStartOfWeek(day, 1) in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
        or toStartOfWeek(day, 1) in arrayMap(start -> toDate(start) - 7, {windows:Array(DateTime('UTC'))})
    group by project_id, week, page, navigation_type, environment, metric
)

select
    weeks.project_id as project_id,
    weeks.week as week,
    weeks.page as page,
    weeks.navigation_type as navigation_type,
    weeks.environment as environment,
    weeks.metric as metric,
    weeks.sample_count as sample_count,
    weeks.value_sum as value_sum,
    weeks.percentiles[1] as p50,
    weeks.percentiles[2] as p75,
    weeks.percentiles[3] as p95,
    if(
        weeks.sample_count >= 20 and before.sample_count >= 20 and before.percentiles[2] > 0,
        weeks.percentiles[2] / before.percentiles[2] - 1,
        nan
    ) as change_ratio,
    weeks.value_state as value_state,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(weeks.week) as version
from weeks
left join weeks as before
    on weeks.project_id = before.project_id
    and weeks.week = before.week + 7
    and weeks.page = before.page
    and weeks.navigation_type = before.navigation_type
    and weeks.environment = before.environment
    and weeks.metric = before.metric
where weeks.week in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
settings enable_materialized_cte = 1
