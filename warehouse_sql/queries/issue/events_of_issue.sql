-- purpose: which events of an issue, of those between two moments, are a page of them, newest first
-- parameters: since, until, received_from (none of them was received before), limit (the conditions put in have parameters of their own)
-- returns: one row per event: item_id, variant_hash, occurred_at, received_at

select *
from (
    select
        item_id,
        variant_hash,
        occurred_at,
        received_at
    from errata_raw.error_events
    where
        (${is_own})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and occurred_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and (${is_wanted})
    -- Among copies of an event, the one received first counts; all have the same occurred_at.
    order by occurred_at desc, item_id desc, received_at
    limit 1 by item_id
)
order by occurred_at desc, item_id desc
limit {limit:UInt16}
