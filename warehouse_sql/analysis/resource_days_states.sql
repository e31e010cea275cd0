-- errata_analysis.resource_days_states
-- purpose: resource_days with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- plain:   what pages load, by type and by URL and day
-- returns: one row per project, day, page, kind of navigation, environment, release, type and URL; and one of each type as a whole, whose url is empty
-- mart:    errata_mart.resource_metrics_daily
-- columns: project_id, day, page, navigation_type, environment, release, type, url, host, view_count, resource_count, cached_count, sized_count,
--   blocking_count, error_count, transfer_bytes, body_bytes, decoded_bytes, blocking_delay_ms, mean_ms, p50_ms, p75_ms, p95_ms, durations_ms,
--   digest, built_through
-- inputs:  errata_read.published_versions, errata_mart.resource_metrics_daily

create or replace view errata_analysis.resource_days_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    mean_ms Float64 comment 'mean duration of all loads',
    p50_ms Float64 comment 'median: linear below 1,000 loads, else by t-digest',
    p75_ms Float64 comment '75th percentile, computed as p50_ms',
    p95_ms Float64 comment '95th percentile, computed as p50_ms',
    digest AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'merge with quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)'
)
definer = current_user sql security definer
as
with if(
    empty(durations_ms),
    arrayReduce('quantilesTDigestMerge(0.5, 0.75, 0.95)', [duration_state]),
    arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', durations_ms)
) as percentiles

select
    *,
    duration_sum_ms / resource_count as mean_ms,
    percentiles[1] as p50_ms,
    percentiles[2] as p75_ms,
    percentiles[3] as p95_ms,
    if(empty(durations_ms), duration_state, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', durations_ms)) as digest
from errata_mart.resource_metrics_daily as daily
where daily.version in (select version from errata_read.published_versions where mart = 'resource_metrics_daily')
