-- purpose: what events say of some users: the latest id, e-mail address, name and IP address of each
-- returns: one row per user with an event since then: user_hash, user_id, user_email, user_name, user_ip (empty: never sent)

select
    user_hash,
    argMaxIf(events.user_id, occurred_at, events.user_id != '') as user_id,
    argMaxIf(events.user_email, occurred_at, events.user_email != '') as user_email,
    argMaxIf(events.user_name, occurred_at, events.user_name != '') as user_name,
    argMaxIf(events.user_ip, occurred_at, events.user_ip != '') as user_ip
from errata_raw.error_events as events
where
    user_hash in {users:Array(UInt64)}
    and occurred_at >= {since:DateTime('UTC')}
    and (${is_kept})
group by user_hash
