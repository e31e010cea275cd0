-- errata_analysis.page_hours_states
-- purpose: page_hours with a state to merge rows into figures of any span: quantileTDigestMerge(0.75)(digest), any level
-- returns: one row per project, hour, metric, page, environment and device; page loads alone
-- inputs:  errata_read.published_versions, errata_mart.page_metrics_hourly

create or replace view errata_analysis.page_hours_states
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    hour DateTime('UTC') comment 'of the page loads',
    page String comment 'path with {id} for what varies, or the route''s name',
    environment String comment 'of the view',
    device String comment 'desktop, mobile, tablet, bot; empty: unknown',
    metric String comment 'view (counted only), or a metric of page loads, named as its column in page_loads',
    sample_count UInt64 comment 'page loads, or calls, with the figure',
    mean Float64 comment 'of all samples; ms, for cls without unit; nan: counted only',
    p50 Float64 comment 'linear below 1,000 samples, else by t-digest; nan: counted only',
    p75 Float64 comment 'as p50',
    p95 Float64 comment 'as p50',
    samples Array(Float64) comment 'all of them, ascending, below 1,000; else empty',
    digest AggregateFunction(quantileTDigest, Float64) comment 'to merge hours, pages or devices: quantileTDigestMerge(0.75)(digest), any level',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
with published as (
    select version
    from errata_read.published_versions
    where mart = 'page_metrics_hourly'
)

select
    project_id,
    hour,
    page,
    environment,
    device,
    metric,
    sample_count,
    if(metric = 'view', nan, value_sum / sample_count) as mean,
    if(
        empty(values),
        arrayReduce('quantileTDigestMerge(0.5)', [value_state]),
        arrayReduce('quantileExactInclusive(0.5)', values)
    ) as p50,
    if(
        empty(values),
        arrayReduce('quantileTDigestMerge(0.75)', [value_state]),
        arrayReduce('quantileExactInclusive(0.75)', values)
    ) as p75,
    if(
        empty(values),
        arrayReduce('quantileTDigestMerge(0.95)', [value_state]),
        arrayReduce('quantileExactInclusive(0.95)', values)
    ) as p95,
    values as samples,
    if(empty(values), value_state, arrayReduce('quantileTDigestState', values)) as digest,
    hourly.built_through as built_through
from errata_mart.page_metrics_hourly as hourly
where hourly.version in (select version from published)
