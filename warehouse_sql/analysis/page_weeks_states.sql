-- errata_analysis.page_weeks_states
-- purpose: page_weeks with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- plain:   how each metric of each page went week by week
-- returns: one row per project, ISO week, page, kind of navigation, environment and metric
-- inputs:  errata_read.published_versions, errata_mart.weekly_trends

create or replace view errata_analysis.page_weeks_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    week Date comment 'Monday of the ISO week, UTC',
    page String comment 'path with {id} for variable parts, or the name of the route',
    navigation_type String comment 'navigate, soft-navigation or back-forward-cache',
    environment String comment 'environment of the counted views; empty when none was named',
    metric String comment 'view (counted only), or a metric named as its column in page_loads; load_at_most_ms is load_ms with a day for loads that never ended',
    sample_count UInt64 comment 'samples: views, or calls of api_ms, with a value',
    mean Float64 comment 'mean of all samples, in ms or bytes by the name of the metric; cls has no unit; nan: counted only',
    p50 Float64 comment 'median: linear while every day of the week keeps its values, else by t-digest; nan: counted only',
    p75 Float64 comment '75th percentile, computed as p50',
    p95 Float64 comment '95th percentile, computed as p50',
    change_ratio Float64 comment 'p75 compared with the previous week: 0.1 is 10% more; nan: one of them has under 20 samples',
    digest AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'merge with quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted, except those of days waiting for a build'
)
definer = current_user sql security definer
as
select
    project_id,
    week,
    page,
    navigation_type,
    environment,
    metric,
    sample_count,
    if(metric = 'view', nan, value_sum / sample_count) as mean,
    p50,
    p75,
    p95,
    change_ratio,
    value_state as digest,
    trends.built_through as built_through
from errata_mart.weekly_trends as trends
where trends.version in (select version from errata_read.published_versions where mart = 'weekly_trends')
