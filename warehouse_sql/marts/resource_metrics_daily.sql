-- errata_mart.resource_metrics_daily
-- purpose: what pages load, by type and by URL and day: sizes, load times, counts, and what keeps the first paint back
-- grain:   one row per project, day, page, kind of navigation, environment, release, type and URL; and one of each type as a whole
-- key:     project_id, day, page, navigation_type, environment, release, type, url
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_raw.page_views, errata_raw.page_resources

create table errata_mart.resource_metrics_daily
(
    project_id UInt32 comment 'project',
    day Date comment 'UTC day on which the views started',
    page LowCardinality(String) comment 'page of the view that loaded the resource',
    navigation_type LowCardinality(String) comment 'navigate, soft-navigation or back-forward-cache',
    environment LowCardinality(String) comment 'environment of the view; empty when none was named',
    release LowCardinality(String) comment 'release of the view; empty when none was named',
    type LowCardinality(String) comment 'script, style, image, font, api, media, document or other',
    url String comment 'URL without query, fragment and secrets; empty: the whole type; (other): beyond the 100 most loaded of the cell',
    host LowCardinality(String) comment 'host of the URL; empty: the page''s own, several or unknown',
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
    duration_sum_ms Float64 comment 'total duration from request to last byte',
    durations_ms Array(Float64) comment 'durations in ascending order, below 1,000 loads; empty above',
    duration_state AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 't-digest, from 1,000 loads on; empty below',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (day, version)
order by (project_id, day, page, navigation_type, environment, release, type, url)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with opened as (
    select
        project_id,
        view_id,
        item_id,
        received_at,
        toDate(occurred_at) as day,
        page,
        navigation_type,
        environment,
        release,
        -- A number is quicker to join and to group by than what it stands for. A slice is a range of them.
        cityHash64(project_id, day, page, navigation_type, environment, release) as cell,
        started_at_ms + fcp_ms as painted_at_ms
    from errata_raw.page_views
    where
        is_load
        and ({is_every_window:Bool} or toStartOfDay(occurred_at) in {windows:Array(DateTime('UTC'))})
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime64(3, 'UTC')}
        -- Skips partitions: the windows' recorded arrivals. Where the bounds say it all, no row is looked up.
        and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

repeated as materialized (
    select
        project_id,
        view_id
    from opened
    group by project_id, view_id
    having count() > 1
),

loads as materialized (
    -- Of a load's copies of one day the one received first counts. Few have any: only these are sorted.
    select *
    from opened
    where
        cell between {slice_from:UInt64} and {slice_to:UInt64}
        and (project_id, view_id) not in (select project_id, view_id from repeated)
    union all
    select *
    from (
        select *
        from opened
        where (project_id, view_id) in (select project_id, view_id from repeated)
        order by received_at, painted_at_ms, cell
        limit 1 by project_id, day, view_id
    ) as first_received
    where cell between {slice_from:UInt64} and {slice_to:UInt64}
),

recent as (
    select
        project_id,
        view_id,
        item_id,
        received_at,
        type,
        url,
        host,
        is_cached,
        is_render_blocking,
        status_code,
        transfer_bytes,
        body_bytes,
        decoded_bytes,
        start_us,
        duration_ms
    from errata_raw.page_resources
    where
        ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

copied as materialized (
    -- The few views of which something came more than once: each view's items are compared, so that a set of all is not needed.
    select view_id
    from (
        select
            recent.view_id as view_id,
            groupArray(cityHash64(recent.item_id)) as items
        from recent
        where view_id in (select view_id from loads)
        group by view_id
    ) as of_views
    where length(items) > length(arrayDistinct(items))
),

told as (
    select
        *,
        -- Of every day that its view was opened on.
        toUInt64(0) as own_cell
    from recent
    where
        view_id in (select view_id from loads)
        and view_id not in (select view_id from copied)
    union all
    -- Copies of a resource say the same: any of those that count.
    select
        recent.*,
        owners.cell as own_cell
    from recent
    inner join (
        select
            project_id,
            view_id,
            received_at,
            cell
        from loads
        where view_id in (select view_id from copied)
    ) as owners on recent.project_id = owners.project_id and recent.view_id = owners.view_id
    where
        recent.view_id in (select view_id from copied)
        and recent.received_at >= owners.received_at - toIntervalDay(2)
        and recent.received_at <= owners.received_at + toIntervalDay(2)
    limit 1 by owners.cell, recent.view_id, recent.item_id
),

resources as (
    select
        -- The view names page, environment and release; a part without its view has no page.
        owners.cell as cell,
        told.*,
        cityHash64(type, url) as url_hash,
        -- Resources that finish after the first paint did not delay it.
        multiIf(
            not is_render_blocking, 0.,
            isNaN(owners.painted_at_ms), duration_ms,
            round(greatest(0., least(told.start_us / 1000 + duration_ms, owners.painted_at_ms) - told.start_us / 1000), 3)
        ) as delay_ms
    from told
    inner join (
        select
            project_id,
            view_id,
            received_at,
            cell,
            painted_at_ms
        from loads
    ) as owners on told.project_id = owners.project_id and told.view_id = owners.view_id
    where
        (told.own_cell = 0 or told.own_cell = owners.cell)
        and told.received_at >= owners.received_at - toIntervalDay(2)
        and told.received_at <= owners.received_at + toIntervalDay(2)
),

${part:resource_counts}

select
    places.project_id as project_id,
    places.day as day,
    places.page as page,
    places.navigation_type as navigation_type,
    places.environment as environment,
    places.release as release,
    cells.type as type,
    cells.url as url,
    cells.* except (cell, type, url, sorted),
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from resource_counts as cells
inner join (
    select
        cell,
        any(loads.project_id) as project_id,
        any(loads.day) as day,
        any(loads.page) as page,
        any(loads.navigation_type) as navigation_type,
        any(loads.environment) as environment,
        any(loads.release) as release
    from loads
    group by cell
) as places on cells.cell = places.cell
settings enable_materialized_cte = 1, query_plan_join_swap_table = 'false', max_bytes_before_external_group_by = 800000000
