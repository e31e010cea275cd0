-- purpose: whether the copies left out of a table are as many as raw has more rows than events
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(copy_count) - countIf(is_counted) as built_count,
    0 as expected_count
from errata_mart.repeated_events
where hour in {windows:Array(DateTime('UTC'))}
group by project_id
union all
select
    project_id,
    0 as built_count,
    count() - uniqExactIf(
        (item_id, toStartOfHour(occurred_at)),
        (project_id, item_id, toStartOfHour(occurred_at)) not in (
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
    ) as expected_count
from errata_raw.error_events
where
    toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))}
    and occurred_at >= {window_start:DateTime('UTC')}
    and occurred_at < {window_end:DateTime64(3, 'UTC')}
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
group by project_id
