-- events_of_issue
-- purpose: which events of an issue, of those between two moments, are a page of them, newest first
-- parameters: project_id, since, until, environments, releases, users, words, has_cursor, before_occurred_at,
--   before_item_id, limit
-- names:   is_own
-- returns: one row per event: item_id, occurred_at, received_at; users: of events whose id, e-mail, name or address is one
--   of these
-- inputs:  errata_read.error_events

select *
from (
    select
        item_id,
        occurred_at,
        received_at
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where
        (${is_own})
        and occurred_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (
            empty({users:Array(String)})
            or user_id in {users:Array(String)}
            or user_email in {users:Array(String)}
            or user_name in {users:Array(String)}
            or user_ip in {users:Array(String)}
        )
        and arrayAll(
            word -> positionCaseInsensitiveUTF8(concat(message, ' ', transaction, ' ', request_url), word) > 0,
            {words:Array(String)}
        )
        and (
            not {has_cursor:Bool}
            or (occurred_at, item_id) < ({before_occurred_at:DateTime64(3, 'UTC')}, {before_item_id:UUID})
        )
    -- Of copies of an event the one received first counts; all have the same occurred_at.
    order by occurred_at desc, item_id desc, received_at
    limit 1 by item_id
)
order by occurred_at desc, item_id desc
limit {limit:UInt16}
