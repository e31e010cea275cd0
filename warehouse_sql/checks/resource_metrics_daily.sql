-- purpose: whether the resources counted in a table, by URL and by type, add up to those kept in raw
-- returns: rows per project: project_id, built_count, expected_count; both are added up

with loads as materialized (
    select
        project_id,
        view_id,
        min(received_at) as first_received_at
    from errata_raw.page_views
    where
        is_load
        and ({is_every_window:Bool} or toStartOfDay(occurred_at) in {windows:Array(DateTime('UTC'))})
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime64(3, 'UTC')}
        and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
    -- On each day that a copy of the load names.
    group by project_id, view_id, toDate(occurred_at)
)

select
    project_id,
    -- A resource is in the row of its URL and in that of its type.
    sum(resource_count) as built_count,
    0 as expected_count
from errata_mart.resource_metrics_daily
where day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
union all
select
    loads.project_id as project_id,
    0 as built_count,
    -- Copies belong to the same view: a set of all items would not fit in memory.
    2 * sum(length(arrayDistinct(if(
        first_moment >= first_received_at - toIntervalDay(2) and last_moment <= first_received_at + toIntervalDay(2),
        items,
        arrayFilter(
            (item, moment) -> moment between first_received_at - toIntervalDay(2) and first_received_at + toIntervalDay(2),
            items,
            moments
        )
    )))) as expected_count
from (
    select
        project_id,
        view_id,
        groupArray(cityHash64(item_id)) as items,
        groupArray(received_at) as moments,
        min(received_at) as first_moment,
        max(received_at) as last_moment
    from errata_raw.page_resources
    where
        ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
        and view_id in (select view_id from loads)
    group by project_id, view_id
) as resources
inner join loads on resources.project_id = loads.project_id and resources.view_id = loads.view_id
group by project_id
settings enable_materialized_cte = 1
