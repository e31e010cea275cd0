-- resource_metrics_daily
-- purpose: whether the resources counted in a table, by URL and by type, add up to those kept in raw
-- parameters: windows, window_start, window_end, received_from, received_to, watermark, near_days
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.resource_metrics_daily, errata_raw.page_views, errata_raw.page_resources

with loads as materialized (
    select
        project_id,
        view_id,
        min(received_at) as first_received_at
    from errata_raw.page_views
    where
        is_load
        and toStartOfDay(occurred_at) in {windows:Array(DateTime('UTC'))}
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime('UTC')}
        and toDate(received_at) in {near_days:Array(Date)}
        and received_at >= {received_from:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {received_to:DateTime64(3, 'UTC')} + toIntervalDay(2)
        and received_at < {watermark:DateTime64(3, 'UTC')}
    group by project_id, view_id
)

select
    (
        -- A resource is in the row of its URL and in that of its type.
        select sum(resource_count)
        from ${table}
        where day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    ) as built_count,
    (
        select 2 * sum(resource_count)
        from (
            select
                resources.project_id as project_id,
                resources.view_id as view_id,
                -- Copies belong to the same view: a set of all items would not fit in memory.
                length(arrayDistinct(groupArray(cityHash64(resources.item_id)))) as resource_count
            from errata_raw.page_resources as resources
            inner join loads on resources.project_id = loads.project_id and resources.view_id = loads.view_id
            where
                toDate(resources.received_at) in {near_days:Array(Date)}
                and resources.view_id in (select view_id from loads)
                and resources.received_at >= {received_from:DateTime64(3, 'UTC')} - toIntervalDay(2)
                and resources.received_at < {received_to:DateTime64(3, 'UTC')} + toIntervalDay(2)
                and resources.received_at < {watermark:DateTime64(3, 'UTC')}
                and resources.received_at >= loads.first_received_at - toIntervalDay(2)
                and resources.received_at <= loads.first_received_at + toIntervalDay(2)
            group by project_id, view_id
        )
    ) as expected_count
settings enable_materialized_cte = 1
