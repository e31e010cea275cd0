-- purpose: of cells of resources, what a page or file tells: each type, the first URLs in an order, and the first of those that block the first paint.
--   Percentiles, which cost most, are computed of these alone, unless the order is theirs
-- parameters: has_types, has_urls (which rows are told), type (of the URLs; empty: all), sort, is_descending, url_limit, blocking_limit
-- returns: one row per type, or per type, URL and host: views, loads, cached, sized, blocking, errors, transferred, body, decoded, delay_ms, spent_ms,
--   percentiles (50, 75, 95), url_count (all URLs), place and blocking_place (0: it blocks nothing)
counted as (
    select
        type as resource_type,
        url as resource_url,
        if(url = '', '', host) as resource_host,
        sum(cells.view_count) as views,
        sum(cells.resource_count) as loads,
        sum(cells.cached_count) as cached,
        sum(cells.sized_count) as sized,
        sum(cells.blocking_count) as blocking,
        sum(cells.error_count) as errors,
        sum(cells.transfer_bytes) as transferred,
        sum(cells.body_bytes) as body,
        sum(cells.decoded_bytes) as decoded,
        round(sum(cells.blocking_delay_ms), 3) as delay_ms,
        round(sum(cells.duration_sum_ms), 3) as spent_ms
    from cells
    where
        if(url = '', {has_types:Bool}, {has_urls:Bool})
        and ({type:String} = '' or type = {type:String} or url = '')
    group by resource_type, resource_url, resource_host
),

placed as (
    select
        *,
        -- Sorted by a column, single URLs come first, and unknown values last.
        {sort:String} != '' and resource_url = '(other)' as is_rest,
        multiIf(
            {sort:String} = 'decoded_bytes', if(decoded = 0, nan, decoded / sized),
            {sort:String} = 'body_bytes', if(sized = 0, nan, body / sized),
            {sort:String} in ('', 'resource_count'), toFloat64(loads),
            {sort:String} = 'view_count', toFloat64(views),
            {sort:String} = 'error_count', toFloat64(errors),
            0.
        ) as sorted_by,
        row_number() over (
            partition by resource_url = ''
            order by
                is_rest,
                isNaN(sorted_by),
                if({is_descending:Bool}, -sorted_by, sorted_by),
                if({sort:String} = 'url' and not {is_descending:Bool}, resource_url, ''),
                if({sort:String} = 'url', resource_url, '') desc,
                loads desc,
                resource_type,
                resource_url,
                resource_host
        ) as place,
        if(
            blocking = 0,
            0,
            row_number() over (
                partition by resource_url = '', blocking = 0
                order by delay_ms / blocking desc, loads desc, resource_type, resource_url, resource_host
            )
        ) as blocking_place,
        count() over (partition by resource_url = '') as url_count
    from counted
),

candidates as materialized (
    select *
    from placed
    where
        resource_url = ''
        or {sort:String} = 'duration_ms'
        or place <= {url_limit:UInt32}
        or blocking_place between 1 and {blocking_limit:UInt32}
),

timed as (
    select
        type as resource_type,
        url as resource_url,
        if(url = '', '', host) as resource_host,
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
    from cells
    where (type, url) in (select resource_type, resource_url from candidates)
    group by resource_type, resource_url, resource_host
),

told as (
    select
        candidates.* except (place),
        timed.percentiles as percentiles,
        if(
            {sort:String} = 'duration_ms',
            row_number() over (
                partition by resource_url = ''
                order by is_rest, if({is_descending:Bool}, -percentiles[2], percentiles[2]), candidates.place
            ),
            candidates.place
        ) as place
    from candidates
    inner join timed
        on candidates.resource_type = timed.resource_type
        and candidates.resource_url = timed.resource_url
        and candidates.resource_host = timed.resource_host
)

select * except (is_rest, sorted_by)
from told
where
    resource_url = ''
    or place <= {url_limit:UInt32}
    or blocking_place between 1 and {blocking_limit:UInt32}
order by place
settings max_bytes_before_external_group_by = 150000000, max_bytes_before_external_sort = 150000000
