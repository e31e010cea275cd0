-- purpose: messages of users, the latest first, with the variants of the errors that they are about
-- definition: Messages that users sent with an SDK's form. A message delivered twice counts once.
-- parameters: project_id, has_cursor, after_ms, after_id, limit
-- returns: one row per message: its columns, variant_hash (0: no stored error was named)

with messages as (
    select
        item_id,
        occurred_at,
        received_at,
        message,
        user_name,
        user_email,
        user_hash,
        url,
        associated_event_id,
        replay_id,
        environment,
        release
    from errata_raw.feedback
    where
        project_id = {project_id:UInt32}
        and (${is_meant})
    -- Copies of a delivery.
    order by received_at
    limit 1 by item_id
),

listed as (
    select *
    from messages
    where
        not {has_cursor:Bool}
        or (toUnixTimestamp64Milli(occurred_at), item_id) < ({after_ms:Int64}, {after_id:UUID})
    order by occurred_at desc, item_id desc
    limit {limit:UInt16}
),

errors as (
    select
        item_id,
        any(variant_hash) as variant_hash
    from errata_raw.error_events
    where
        project_id = {project_id:UInt32}
        and item_id in (select associated_event_id from listed)
        and item_id != toUUID('00000000-0000-0000-0000-000000000000')
    group by item_id
)

select
    listed.item_id as item_id,
    listed.occurred_at as occurred_at,
    listed.message as message,
    listed.user_name as user_name,
    listed.user_email as user_email,
    listed.user_hash as user_hash,
    listed.url as url,
    listed.associated_event_id as associated_event_id,
    listed.replay_id as replay_id,
    listed.environment as environment,
    listed.release as release,
    errors.variant_hash as variant_hash
from listed
left join errors on listed.associated_event_id = errors.item_id
order by occurred_at desc, item_id desc
