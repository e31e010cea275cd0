-- earliest_copies
-- purpose: of events with copies the one that counts: which was received first, and of which variant it was
-- parameters: item_ids, hours (in which they occurred), received_from (none of these hours was received before), near_from (two days before their
--   receipt, as far back as copies_elsewhere looks for copies of other hours)
-- returns: one row per event: item_id, variant_hash, received_at (milliseconds)
-- inputs:  errata_raw.error_events

select
    item_id,
    argMin(variant_hash, (copies.received_at, occurred_at, variant_hash)) as variant_hash,
    toUnixTimestamp64Milli(min(copies.received_at)) as received_at
from (
    select
        item_id,
        variant_hash,
        occurred_at,
        received_at
    from errata_raw.error_events
    where
        received_at >= {received_from:DateTime64(3, 'UTC')}
        and toStartOfHour(occurred_at) in {hours:Array(DateTime('UTC'))}
        and item_id in {item_ids:Array(UUID)}
    union all
    select
        item_id,
        variant_hash,
        occurred_at,
        received_at
    from errata_raw.error_events
    where
        received_at >= {near_from:DateTime64(3, 'UTC')}
        and item_id in {item_ids:Array(UUID)}
) as copies
group by item_id
