-- errata_analysis.endpoint_hours
-- purpose: calls, errors and durations of endpoints, by hour
-- returns: one row per project, hour, side, host, method, route, environment and release
-- inputs:  errata_analysis.endpoint_hours_states

create or replace view errata_analysis.endpoint_hours
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
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
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
    error_count,
    error_ratio,
    mean_ms,
    p50_ms,
    p75_ms,
    p95_ms,
    durations_ms,
    built_through
from errata_analysis.endpoint_hours_states
