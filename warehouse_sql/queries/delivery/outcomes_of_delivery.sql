-- purpose: what was accepted but not stored as sent: dropped values, names stored as (other), late and filtered items
-- definition: Items and values that were accepted, but not stored as sent, by what happened to them. Each counts once, also if its batch was
--   delivered again.
-- parameters: since (first day of receipt), until (the day after the last), services (empty: all; an empty name: keys without a service)
-- returns: one row per outcome and reason, the most frequent first: outcome, reason (of filtered: the inbound filter), item_count,
--   last_received_at, item_types (at most ten, each with its count)

with once as (
    -- A batch that is delivered again has the same outcomes again.
    select
        batch_id,
        outcome,
        reason,
        item_type,
        project_id,
        service,
        max(item_count) as item_count,
        max(received_at) as last_received_at
    from errata_raw.outcomes
    where
        toDate(received_at) >= {since:Date}
        and toDate(received_at) < {until:Date}
        -- Refused lines are counted by batch in the ledger; refused deliveries are delivered again.
        and item_type not in ('line', 'delivery')
        and (empty({services:Array(String)}) or has({services:Array(String)}, service))
    group by batch_id, outcome, reason, item_type, project_id, service
),

by_type as (
    select
        outcome,
        reason,
        item_type,
        sum(once.item_count) as item_count,
        max(once.last_received_at) as last_received_at
    from once
    group by outcome, reason, item_type
)

select
    outcome,
    reason,
    sum(by_type.item_count) as item_count,
    max(by_type.last_received_at) as last_received_at,
    arraySlice(
        arraySort(
            (item) -> (-toInt64(item.2), item.1),
            groupArray((by_type.item_type::String, by_type.item_count))
        ),
        1,
        10
    ) as item_types
from by_type
group by outcome, reason
order by item_count desc, outcome, reason
limit 50
