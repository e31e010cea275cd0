-- resources_of_days
-- purpose: what page loads of whole days loaded, by type and by URL, as of the last build: for reports of days that are over
-- parameters: since, until (exclusive), ${filters_of_days} (empty: all)
-- returns: one row per type, or per type, URL and host: views, loads, cached, sized, blocking, errors, transferred, body, decoded, delay_ms, spent_ms, percentiles (50, 75, 95)
-- inputs:  errata_mart.resource_metrics_daily

select
    type as resource_type,
    url as resource_url,
    if(url = '', '', host) as resource_host,
    sum(view_count) as views,
    sum(resource_count) as loads,
    sum(cached_count) as cached,
    sum(sized_count) as sized,
    sum(blocking_count) as blocking,
    sum(error_count) as errors,
    sum(transfer_bytes) as transferred,
    sum(body_bytes) as body,
    sum(decoded_bytes) as decoded,
    round(sum(blocking_delay_ms), 3) as delay_ms,
    round(sum(duration_sum_ms), 3) as spent_ms,
    if(
        countIf(empty(durations_ms)) = 0 and sum(length(durations_ms)) <= 50000,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(durations_ms)),
        arrayMap(
            value -> toFloat64(value),
            quantilesTDigestMerge(0.5, 0.75, 0.95)(
                if(
                    empty(durations_ms),
                    duration_state,
                    arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', durations_ms)
                )
            )
        )
    ) as percentiles
from errata_mart.resource_metrics_daily
where
    day >= {since:Date}
    and day < {until:Date}
    and navigation_type = 'navigate'
    and ${filters_of_days}
group by resource_type, resource_url, resource_host
order by loads desc, resource_type, resource_url, resource_host
settings max_bytes_before_external_group_by = 150000000
