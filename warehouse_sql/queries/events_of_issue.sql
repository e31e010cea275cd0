-- events_of_issue
-- purpose: the events of an issue, newest first, one page of them
-- parameters: project_id, issue_id, environments, has_cursor, before_occurred_at, before_item_id, limit
-- returns: one row per event
-- inputs:  errata_read.error_events, errata_read.issue_variants

with events as (
    -- Of copies of an event the one received first counts; all have the same occurred_at.
    select
        item_id,
        occurred_at,
        received_at,
        environment,
        release,
        level,
        message,
        user_id,
        user_email,
        user_name,
        user_ip,
        transaction,
        server_name,
        is_clock_corrected
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where
        variant_hash in (
            select variant_hash
            from errata_read.issue_variants(projects = [{project_id:UInt32}])
            where issue_id = {issue_id:UInt64}
        )
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (
            not {has_cursor:Bool}
            or (occurred_at, item_id) < ({before_occurred_at:DateTime64(3, 'UTC')}, {before_item_id:UUID})
        )
    order by occurred_at desc, item_id desc, received_at
    limit 1 by item_id
)

select
    item_id,
    occurred_at,
    received_at,
    environment,
    release,
    level,
    message,
    user_id,
    user_email,
    user_name,
    user_ip,
    transaction,
    server_name,
    is_clock_corrected
from events
order by occurred_at desc, item_id desc
limit {limit:UInt16}
