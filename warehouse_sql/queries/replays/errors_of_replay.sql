-- purpose: the errors of a replay, with the issue that each belongs to now
-- definition: Error events that name the replay, or that the replay names. Of copies of an event one is shown.
-- returns: one row per event, in order: item_id, issue_id (0: in none yet), occurred_at, type, message, level

with events as (
    select *
    from (
        select
            item_id,
            variant_hash,
            occurred_at,
            type,
            message,
            level
        from errata_raw.error_events
        where
            -- Reads few partitions: events arrive with their replay, or some time later.
            received_at >= {since:DateTime64(3, 'UTC')}
            and occurred_at >= {since:DateTime64(3, 'UTC')}
            and occurred_at < {until:DateTime64(3, 'UTC')}
            and (replay_id = {replay_id:UUID} or item_id in {error_ids:Array(UUID)})
        order by occurred_at, item_id
        limit 1 by item_id
    )
    order by occurred_at, item_id
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
order by occurred_at, item_id
