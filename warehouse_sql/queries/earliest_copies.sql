-- earliest_copies
-- purpose: of events with copies the one that counts: which was received first, and of which variant it was
-- parameters: project_id, item_ids, moments (at which they occurred: every copy has the same), received_from (none was received before)
-- returns: one row per event: item_id, variant_hash, received_at (milliseconds)
-- inputs:  errata_read.error_events

select
    item_id,
    argMin(variant_hash, copies.received_at) as variant_hash,
    toUnixTimestamp64Milli(min(copies.received_at)) as received_at
from errata_read.error_events(projects = [{project_id:UInt32}]) as copies
where
    copies.received_at >= {received_from:DateTime64(3, 'UTC')}
    and occurred_at in {moments:Array(DateTime64(3, 'UTC'))}
    and item_id in {item_ids:Array(UUID)}
group by item_id
