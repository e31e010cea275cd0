-- purpose: whether the hours counted in a table add up to the events kept in raw
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(event_count) as built_count,
    0 as expected_count
from errata_mart.variant_hourly
where hour in {windows:Array(DateTime('UTC'))}
group by project_id
union all
select
    project_id,
    0 as built_count,
    uniqExact(item_id, toStartOfHour(occurred_at)) as expected_count
from errata_raw.error_events
where
    toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))}
    and occurred_at >= {window_start:DateTime('UTC')}
    and occurred_at < {window_end:DateTime64(3, 'UTC')}
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
    and (project_id, item_id, toStartOfHour(occurred_at)) not in (
        select
            project_id,
            item_id,
            hour
        from errata_read.copies_elsewhere(
            windows = {windows:Array(DateTime('UTC'))},
            window_start = {window_start:DateTime('UTC')},
            window_end = {window_end:DateTime64(3, 'UTC')},
            received_from = {received_from:DateTime64(3, 'UTC')},
            received_to = {received_to:DateTime64(3, 'UTC')},
            near_days = {near_days:Array(Date)}
        )
        where not is_counted
    )
group by project_id
