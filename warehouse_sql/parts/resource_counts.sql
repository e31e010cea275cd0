-- purpose: the steps from single resources (`resources`) with the number of their cell, such as a page and day, to what is kept of each type and URL of
--   a cell: the 100 most loaded URLs, and the others together
-- returns: the steps urls, named and resource_counts of a statement

urls as (
    select
        cell,
        any(resources.type) as type_of_url,
        any(url) as url_of_cell,
        any(host) as host_of_url,
        groupArray(view_id) as views,
        count() as resource_count,
        countIf(is_cached) as cached_count,
        countIf(decoded_bytes > 0 or body_bytes > 0) as sized_count,
        countIf(is_render_blocking) as blocking_count,
        countIf(status_code >= 400) as error_count,
        sum(transfer_bytes) as transfer_bytes_sum,
        sum(body_bytes) as body_bytes_sum,
        sum(decoded_bytes) as decoded_bytes_sum,
        sum(delay_ms) as delay_sum_ms,
        groupArray(duration_ms) as loaded_in_ms
    from resources
    group by cell, url_hash
),

named as (
    select
        *,
        cityHash64(host_of_url) as host_hash,
        -- If every view has URLs of its own, single URLs say little.
        row_number() over (partition by cell, type_of_url order by resource_count desc, url_of_cell asc) as place,
        arrayJoin(['', if(place > 100, '(other)', url_of_cell)]) as named_url
    from urls
),

resource_counts as (
    select
        cell,
        type_of_url as type,
        named_url as url,
        if(min(host_hash) = max(host_hash), any(host_of_url), '') as host,
        uniqExactArray(views) as view_count,
        sum(named.resource_count) as resource_count,
        sum(named.cached_count) as cached_count,
        sum(named.sized_count) as sized_count,
        sum(named.blocking_count) as blocking_count,
        sum(named.error_count) as error_count,
        sum(transfer_bytes_sum) as transfer_bytes,
        sum(body_bytes_sum) as body_bytes,
        sum(decoded_bytes_sum) as decoded_bytes,
        -- Values have three decimals at most: with rounding, the sum does not depend on the order.
        round(sum(delay_sum_ms), 3) as blocking_delay_ms,
        arraySort(groupArrayArray(loaded_in_ms)) as sorted,
        round(arraySum(sorted), 3) as duration_sum_ms,
        if(resource_count < 1000, sorted, []) as durations_ms,
        -- Fed in ascending order by one thread: the same loads always give the same state.
        arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(resource_count < 1000, [], sorted)) as duration_state
    from named
    group by cell, type_of_url, named_url
)
