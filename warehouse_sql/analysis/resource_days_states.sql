-- errata_analysis.resource_days_states
-- purpose: resource_days with a state to merge rows into figures of any span: quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)
-- plain:   what pages load, by type and by URL and day
-- returns: one row per project, day, page, kind of navigation, environment, release, type and URL; and one of each type as a whole, whose url is empty
-- inputs:  errata_read.published_versions, errata_mart.resource_metrics_daily

create or replace view errata_analysis.resource_days_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    day Date comment 'UTC day on which the views started',
    page String comment 'page of the view that loaded the resource',
    navigation_type String comment 'navigate, soft-navigation or back-forward-cache',
    environment String comment 'environment of the view; empty when none was named',
    release String comment 'release of the view; empty when none was named',
    type String comment 'script, style, image, font, api, media, document or other',
    url String comment 'URL without query, fragment and secrets; empty: the whole type; (other): beyond the 100 most loaded of the cell',
    host String comment 'host of the URL; empty: the page''s own, several or unknown',
    view_count UInt64 comment 'views that loaded the resource at least once',
    resource_count UInt64 comment 'loads of the resource; of type api: calls',
    cached_count UInt64 comment 'loads from the browser''s cache',
    sized_count UInt64 comment 'loads with a known size; other hosts report sizes only with Timing-Allow-Origin',
    blocking_count UInt64 comment 'loads that blocked the first paint',
    error_count UInt64 comment 'loads with a status of 400 or above',
    transfer_bytes UInt64 comment 'bytes over the wire, with headers; 0 from the cache',
    body_bytes UInt64 comment 'compressed bytes, from the cache too',
    decoded_bytes UInt64 comment 'decompressed bytes, from the cache too',
    blocking_delay_ms Float64 comment 'total loading time of blocking resources before the first contentful paint',
    mean_ms Float64 comment 'mean duration of all loads',
    p50_ms Float64 comment 'median: linear below 1,000 loads, else by t-digest',
    p75_ms Float64 comment '75th percentile, computed as p50_ms',
    p95_ms Float64 comment '95th percentile, computed as p50_ms',
    durations_ms Array(Float64) comment 'durations in ascending order, below 1,000 loads; empty above',
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
    percentiles[1] as p50_ms,
    percentiles[2] as p75_ms,
    percentiles[3] as p95_ms,
    durations_ms,
    if(empty(durations_ms), duration_state, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', durations_ms)) as digest,
    daily.built_through as built_through
from errata_mart.resource_metrics_daily as daily
where daily.version in (select version from errata_read.published_versions where mart = 'resource_metrics_daily')
