-- errata_analysis.endpoint_hours_states
-- purpose: endpoint_hours with a state to merge rows into figures of any span: quantileTDigestMerge(0.95)(digest), any level
-- returns: one row per project, hour, side, host, method, route, environment and release
-- inputs:  errata_read.published_versions, errata_mart.endpoint_metrics_hourly

create or replace view errata_analysis.endpoint_hours_states
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    hour DateTime('UTC') comment 'in which the call began',
    side String comment 'server: incoming calls; page: as seen from the browser',
    host String comment 'page side only',
    method String comment 'in capitals; empty: not told',
    route String comment 'the transaction''s name, or the path with {id} for what varies',
    environment String comment 'of the caller or the server',
    release String comment 'of the caller or the server',
    call_count UInt64 comment 'those without an answer too',
    error_count UInt64 comment '4xx and 5xx',
    error_ratio Float64 comment '4xx and 5xx of all calls, 0 to 1',
    mean_ms Float64 comment 'of all calls',
    p50_ms Float64 comment 'linear below 1,000 calls, else by t-digest',
    p75_ms Float64 comment 'as p50_ms',
    p95_ms Float64 comment 'as p50_ms',
    durations_ms Array(Float64) comment 'all of them, ascending, below 1,000 calls; else empty',
    digest AggregateFunction(quantileTDigest, Float64) comment 'to merge hours or endpoints: quantileTDigestMerge(0.95)(digest), any level',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
with published as (
    select version
    from errata_read.published_versions
    where mart = 'endpoint_metrics_hourly'
)

select
    project_id,
    hour,
    side,
    host,
    method,
    route,
    environment,
    release,
    call_count,
    client_error_count + server_error_count as error_count,
    error_count / call_count as error_ratio,
    duration_sum_ms / call_count as mean_ms,
    if(
        empty(durations_ms),
        arrayReduce('quantileTDigestMerge(0.5)', [duration_state]),
        arrayReduce('quantileExactInclusive(0.5)', durations_ms)
    ) as p50_ms,
    if(
        empty(durations_ms),
        arrayReduce('quantileTDigestMerge(0.75)', [duration_state]),
        arrayReduce('quantileExactInclusive(0.75)', durations_ms)
    ) as p75_ms,
    if(
        empty(durations_ms),
        arrayReduce('quantileTDigestMerge(0.95)', [duration_state]),
        arrayReduce('quantileExactInclusive(0.95)', durations_ms)
    ) as p95_ms,
    durations_ms,
    if(empty(durations_ms), duration_state, arrayReduce('quantileTDigestState', durations_ms)) as digest,
    hourly.built_through as built_through
from errata_mart.endpoint_metrics_hourly as hourly
where hourly.version in (select version from published)
