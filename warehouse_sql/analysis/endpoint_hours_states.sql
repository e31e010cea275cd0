-- errata_analysis.endpoint_hours_states
-- purpose: endpoint_hours with a state to merge rows into figures of any span: quantileTDigestMerge(0.95)(digest), any level
-- plain:   calls, errors and durations of endpoints, by hour
-- returns: one row per project, hour, side, host, method, route, environment and release
-- mart:    errata_mart.endpoint_metrics_hourly
-- columns: project_id, hour, side, host, method, route, environment, release, call_count, error_count, error_ratio, mean_ms, p50_ms, p75_ms,
--   p95_ms, durations_ms, digest, built_through
-- inputs:  errata_read.published_versions, errata_mart.endpoint_metrics_hourly

create or replace view errata_analysis.endpoint_hours_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    error_count UInt64 comment 'calls with a 4xx or 5xx status',
    error_ratio Float64 comment 'share of calls with a 4xx or 5xx status, 0 to 1',
    mean_ms Float64 comment 'mean duration of all calls',
    p50_ms Float64 comment 'median: linear below 1,000 calls, else by t-digest',
    p75_ms Float64 comment '75th percentile, computed as p50_ms',
    p95_ms Float64 comment '95th percentile, computed as p50_ms',
    digest AggregateFunction(quantileTDigest, Float64) comment 'state for any percentile: quantileTDigestMerge(0.95)(digest)'
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
    client_error_count + server_error_count as error_count,
    error_count / call_count as error_ratio,
    duration_sum_ms / call_count as mean_ms,
    percentiles[1] as p50_ms,
    percentiles[2] as p75_ms,
    percentiles[3] as p95_ms,
    if(empty(durations_ms), duration_state, arrayReduce('quantileTDigestState', durations_ms)) as digest
from errata_mart.endpoint_metrics_hourly as hourly
where hourly.version in (select version from errata_read.published_versions where mart = 'endpoint_metrics_hourly')
