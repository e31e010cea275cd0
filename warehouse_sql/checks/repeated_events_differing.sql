-- purpose: of projects whose recount disagrees, an event that is counted otherwise than raw has it
-- returns: one row per project: project_id, item_id, hour

select
    project_id,
    item_id,
    hour
from (
    select
        project_id,
        item_id,
        hour,
        toInt64(copy_count) - is_counted as copies_left_out
    from errata_mart.repeated_events
    where hour in {windows:Array(DateTime('UTC'))} and project_id in {projects:Array(UInt32)}
    union all
    select
        project_id,
        item_id,
        toStartOfHour(occurred_at) as hour,
        ((project_id, item_id, hour) not in (
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
        )) - toInt64(count()) as copies_left_out
    from errata_raw.error_events
    where
        toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))}
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime64(3, 'UTC')}
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
        and project_id in {projects:Array(UInt32)}
    group by project_id, item_id, hour
)
group by project_id, item_id, hour
having sum(copies_left_out) != 0
order by project_id, hour, item_id
limit 1 by project_id
