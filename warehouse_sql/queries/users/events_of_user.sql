-- purpose: the latest events of a user, with the issue that each belongs to now
-- definition: Error events whose user is this one, the latest first. Of copies of an event one is shown.
-- parameters: user_hash, since, until, environment, release (both empty: all), limit
-- returns: one row per event, newest first: item_id, issue_id (0: in none yet), occurred_at, type, message, level, environment, release,
--   transaction

with events as (
    select *
    from (
        select
            item_id,
            variant_hash,
            occurred_at,
            type,
            message,
            level,
            environment,
            release,
            transaction
        from errata_raw.error_events
        where
            user_hash = {user_hash:UInt64}
            and occurred_at >= {since:DateTime('UTC')}
            and occurred_at < {until:DateTime64(3, 'UTC')}
            and ({environment:String} = '' or environment = {environment:String})
            and ({release:String} = '' or release = {release:String})
            and (${is_kept})
        -- Among copies of an event, one counts.
        order by occurred_at desc, item_id desc
        limit 1 by item_id
    )
    order by occurred_at desc, item_id desc
    limit {limit:UInt16}
),

assigned as (
    select
        variant_hash,
        issue_id
    from errata_raw.variant_assignments final
    where variant_hash in (select variant_hash from events)
)

select
    events.*,
    assigned.issue_id as issue_id
from events
left join assigned on events.variant_hash = assigned.variant_hash
order by occurred_at desc, item_id desc
