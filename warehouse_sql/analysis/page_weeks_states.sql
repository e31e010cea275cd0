-- errata_analysis.page_weeks_states
-- purpose: page_weeks with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- returns: one row per project, ISO week, page, kind of navigation, environment and metric
-- inputs:  errata_read.published_versions, errata_mart.weekly_trends

create or replace view errata_analysis.page_weeks_states
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    week Date comment 'its Monday, UTC',
    page String comment 'path with {id} for what varies, or the route''s name',
    navigation_type String comment 'navigate, soft-navigation or back-forward-cache',
    environment String comment 'of the view',
    metric String comment 'view (counted only), or a metric of page loads, named as its column in page_loads',
    sample_count UInt64 comment 'views, or calls, with the figure',
    mean Float64 comment 'of all samples; ms, for cls without unit; nan: counted only',
    p50 Float64 comment 'linear below 1,000 samples, else by t-digest; nan: counted only',
    p75 Float64 comment 'as p50',
    p95 Float64 comment 'as p50',
    change_ratio Float64 comment 'p75 against the week before, 0.1: a tenth more; nan under 20 samples on either side',
    digest AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'to merge weeks, pages or environments: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
with published as (
    select version
    from errata_read.published_versions
    where mart = 'weekly_trends'
)

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
where trends.version in (select version from published)
