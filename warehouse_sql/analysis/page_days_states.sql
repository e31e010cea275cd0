-- errata_analysis.page_days_states
-- purpose: page_days with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- returns: one row per project, day, page, kind of navigation, environment, release and metric
-- inputs:  errata_read.published_versions, errata_mart.page_metrics_daily

create or replace view errata_analysis.page_days_states
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    day Date comment 'UTC day of the views',
    page String comment 'path with {id} for what varies, or the route''s name',
    navigation_type String comment 'navigate, soft-navigation or back-forward-cache',
    environment String comment 'of the view',
    release String comment 'of the view',
    metric String comment 'view (counted only), or a metric of page loads, named as its column in page_loads',
    sample_count UInt64 comment 'views, or calls, with the figure',
    mean Float64 comment 'of all samples; ms, for cls without unit; nan: counted only',
    p50 Float64 comment 'linear below 1,000 samples, else by t-digest; nan: counted only',
    p75 Float64 comment 'as p50',
    p95 Float64 comment 'as p50',
    samples Array(Float64) comment 'all of them, ascending, below 1,000; else empty',
    digest AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'to merge days, pages or releases: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
with published as (
    select version
    from errata_read.published_versions
    where mart = 'page_metrics_daily'
)

select
    project_id,
    day,
    page,
    navigation_type,
    environment,
    release,
    metric,
    sample_count,
    if(metric = 'view', nan, value_sum / sample_count) as mean,
    if(
        empty(values),
        arrayReduce('quantilesTDigestMerge(0.5)', [value_state])[1],
        arrayReduce('quantileExactInclusive(0.5)', values)
    ) as p50,
    if(
        empty(values),
        arrayReduce('quantilesTDigestMerge(0.75)', [value_state])[1],
        arrayReduce('quantileExactInclusive(0.75)', values)
    ) as p75,
    if(
        empty(values),
        arrayReduce('quantilesTDigestMerge(0.95)', [value_state])[1],
        arrayReduce('quantileExactInclusive(0.95)', values)
    ) as p95,
    values as samples,
    value_state as digest,
    daily.built_through as built_through
from errata_mart.page_metrics_daily as daily
where daily.version in (select version from published)
