-- errata_analysis.page_hours_states
-- purpose: page_hours with a state to merge rows into figures of any span: quantileTDigestMerge(0.75)(digest), any level
-- plain:   what page loads measured and weighed, by hour and device
-- returns: one row per project, hour, metric, page, environment and device; page loads alone
-- mart:    errata_mart.page_metrics_hourly
-- columns: project_id, hour, page, environment, device, metric, sample_count, mean, p50, p75, p95, samples, digest, built_through
-- inputs:  errata_read.published_versions, errata_mart.page_metrics_hourly

create or replace view errata_analysis.page_hours_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    mean Float64 comment 'mean of all samples, in ms or bytes by the name of the metric; cls has no unit; nan: counted only',
    p50 Float64 comment 'median: linear below 1,000 samples, else by t-digest; nan: counted only',
    p75 Float64 comment '75th percentile, computed as p50',
    p95 Float64 comment '95th percentile, computed as p50',
    samples Array(Float64) comment 'samples in ascending order, below 1,000; empty above',
    digest AggregateFunction(quantileTDigest, Float64) comment 'state for any percentile: quantileTDigestMerge(0.75)(digest)'
)
definer = current_user sql security definer
as
with if(
    empty(values),
    arrayReduce('quantilesTDigestMerge(0.5, 0.75, 0.95)', [value_state]),
    arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', values)
) as percentiles

select
    *,
    if(metric = 'view', nan, value_sum / sample_count) as mean,
    percentiles[1] as p50,
    percentiles[2] as p75,
    percentiles[3] as p95,
    values as samples,
    if(empty(values), value_state, arrayReduce('quantileTDigestState', values)) as digest
from errata_mart.page_metrics_hourly as hourly
where hourly.version in (select version from errata_read.published_versions where mart = 'page_metrics_hourly')
