-- errata_analysis.cause_days_states
-- purpose: cause_days with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- plain:   which elements and scripts INP, LCP and CLS of a page come from, by day, with the parts of each
-- returns: one row per project, day, page, kind of navigation, environment, release, vital, cause and part of the vital
-- mart:    errata_mart.page_causes_daily
-- columns: project_id, day, page, navigation_type, environment, release, metric, element, url, invoker, file, function, position, part,
--   sample_count, slow_count, p50, p75, p95, samples, digest, built_through
-- inputs:  errata_read.published_versions, errata_mart.page_causes_daily

create or replace view errata_analysis.cause_days_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    environment String comment 'environment of the views; empty when none was named',
    release String comment 'release of the views; empty when none was named',
    function String comment 'function of that script, as the browser names it; source maps give its original name on pages alone',
    sample_count UInt64 comment 'views with a value of this part; rows of the part value add up to the views that measured the vital',
    slow_count UInt64 comment 'of these, views whose vital is above good: INP 200 ms, LCP 2,500 ms, CLS 0.1',
    p50 Float64 comment 'median: linear below 1,000 samples, else by t-digest',
    p75 Float64 comment '75th percentile, computed as p50',
    p95 Float64 comment '95th percentile, computed as p50',
    samples Array(Float64) comment 'values in ascending order, below 1,000; empty above',
    digest AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'merge with quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)'
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
    percentiles[1] as p50,
    percentiles[2] as p75,
    percentiles[3] as p95,
    values as samples,
    if(empty(values), value_state, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', values)) as digest
from errata_mart.page_causes_daily as daily
where daily.version in (select version from errata_read.published_versions where mart = 'page_causes_daily')
