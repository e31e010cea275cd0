-- errata_analysis.endpoint_days_states
-- purpose: endpoint_days with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- plain:   calls, outcomes and durations of endpoints, by day
-- returns: one row per project, day, side, host, method, route, environment and release
-- inputs:  errata_read.published_versions, errata_mart.endpoint_metrics_daily

create or replace view errata_analysis.endpoint_days_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    day Date comment 'UTC day on which the calls started',
    side String comment 'server: incoming call; page: call made by the browser',
    host String comment 'host that the page called; empty on the server side',
    method String comment 'HTTP method in capitals; empty: unknown',
    route String comment 'transaction name, or the path with {id} for variable parts',
    environment String comment 'environment of the counted calls; empty when none was named',
    release String comment 'release of the counted calls; empty when none was named',
    call_count UInt64 comment 'calls, including those without a response',
    success_count UInt64 comment 'calls with a status from 100 to 399',
    client_error_count UInt64 comment 'calls with a 4xx status',
    server_error_count UInt64 comment 'calls with a 5xx status',
    error_ratio Float64 comment 'share of calls with a 4xx or 5xx status, 0 to 1',
    mean_ms Float64 comment 'mean duration of all calls',
    p50_ms Float64 comment 'median: linear below 1,000 calls, else by t-digest',
    p75_ms Float64 comment '75th percentile, computed as p50_ms',
    p95_ms Float64 comment '95th percentile, computed as p50_ms',
    durations_ms Array(Float64) comment 'durations in ascending order, below 1,000 calls; empty above',
    digest AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'merge with quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
)
definer = current_user sql security definer
as
with if(
    empty(durations_ms),
    arrayReduce('quantilesTDigestMerge(0.5, 0.75, 0.95)', [duration_state]),
    arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', durations_ms)
) as percentiles

select
    project_id,
    day,
    side,
    host,
    method,
    route,
    environment,
    release,
    call_count,
    success_count,
    client_error_count,
    server_error_count,
    (client_error_count + server_error_count) / call_count as error_ratio,
    duration_sum_ms / call_count as mean_ms,
    percentiles[1] as p50_ms,
    percentiles[2] as p75_ms,
    percentiles[3] as p95_ms,
    durations_ms,
    if(empty(durations_ms), duration_state, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', durations_ms)) as digest,
    daily.built_through as built_through
from errata_mart.endpoint_metrics_daily as daily
where daily.version in (select version from errata_read.published_versions where mart = 'endpoint_metrics_daily')
