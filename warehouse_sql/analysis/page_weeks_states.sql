-- errata_analysis.page_weeks_states
-- purpose: page_weeks with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- plain:   how each metric of each page went week by week
-- returns: one row per project, ISO week, page, kind of navigation, environment and metric
-- mart:    errata_mart.weekly_trends
-- columns: project_id, week, page, navigation_type, environment, metric, sample_count, mean, p50, p75, p95, change_ratio, digest, built_through
-- inputs:  errata_read.published_versions, errata_mart.weekly_trends

create or replace view errata_analysis.page_weeks_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    metric String comment 'view (counted only), or a metric named as its column in page_loads; load_at_most_ms is load_ms with a day for loads that never ended',
    mean Float64 comment 'mean of all samples, in ms or bytes by the name of the metric; cls has no unit; nan: counted only',
    digest AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'merge with quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)'
)
definer = current_user sql security definer
as
select
    *,
    if(metric = 'view', nan, value_sum / sample_count) as mean,
    value_state as digest
from errata_mart.weekly_trends as trends
where trends.version in (select version from errata_read.published_versions where mart = 'weekly_trends')
