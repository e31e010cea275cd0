-- errata_analysis.resource_days_states
-- purpose: resource_days with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- returns: one row per project, day, page, kind of navigation, environment, release, type and URL; and one of each type as a whole, whose url is empty
-- inputs:  errata_read.published_versions, errata_mart.resource_metrics_daily

create or replace view errata_analysis.resource_days_states
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    day Date comment 'UTC day of the views',
    page String comment 'of the view that loaded it',
    navigation_type String comment 'navigate, soft-navigation or back-forward-cache',
    environment String comment 'of the view',
    release String comment 'of the view',
    type String comment 'script, style, image, font, api, media, document or other',
    url String comment 'without query, fragment and secrets; empty: the type as a whole; (other): beyond the 100 most loaded',
    host String comment 'empty: the page''s own, of several, or unknown',
    view_count UInt64 comment 'views that loaded at least one',
    resource_count UInt64 comment 'loads of it, calls too',
    cached_count UInt64 comment 'from the browser''s cache',
    sized_count UInt64 comment 'of which a size is told',
    blocking_count UInt64 comment 'that the browser held the first paint back for',
    error_count UInt64 comment 'status 400 and above',
    transfer_bytes UInt64 comment 'over the wire, headers too; 0 from the cache',
    body_bytes UInt64 comment 'as compressed, also from the cache',
    decoded_bytes UInt64 comment 'as unpacked, also from the cache',
    blocking_delay_ms Float64 comment 'sum over blocking ones: time loading before the first contentful paint',
    mean_ms Float64 comment 'of all loads',
    p50_ms Float64 comment 'linear below 1,000 loads, else by t-digest',
    p75_ms Float64 comment 'as p50_ms',
    p95_ms Float64 comment 'as p50_ms',
    durations_ms Array(Float64) comment 'all of them, ascending, below 1,000 loads; else empty',
    digest AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 'to merge days, pages or releases: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
with published as (
    select version
    from errata_read.published_versions
    where mart = 'resource_metrics_daily'
)

select
    project_id,
    day,
    page,
    navigation_type,
    environment,
    release,
    type,
    url,
    host,
    view_count,
    resource_count,
    cached_count,
    sized_count,
    blocking_count,
    error_count,
    transfer_bytes,
    body_bytes,
    decoded_bytes,
    blocking_delay_ms,
    duration_sum_ms / resource_count as mean_ms,
    if(
        empty(durations_ms),
        arrayReduce('quantilesTDigestMerge(0.5)', [duration_state])[1],
        arrayReduce('quantileExactInclusive(0.5)', durations_ms)
    ) as p50_ms,
    if(
        empty(durations_ms),
        arrayReduce('quantilesTDigestMerge(0.75)', [duration_state])[1],
        arrayReduce('quantileExactInclusive(0.75)', durations_ms)
    ) as p75_ms,
    if(
        empty(durations_ms),
        arrayReduce('quantilesTDigestMerge(0.95)', [duration_state])[1],
        arrayReduce('quantileExactInclusive(0.95)', durations_ms)
    ) as p95_ms,
    durations_ms,
    if(empty(durations_ms), duration_state, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', durations_ms)) as digest,
    daily.built_through as built_through
from errata_mart.resource_metrics_daily as daily
where daily.version in (select version from published)
