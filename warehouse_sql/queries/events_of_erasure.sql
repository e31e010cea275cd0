-- events_of_erasure
-- purpose: which of these events an erasure removes
-- parameters: project_id, erasure_id, events
-- returns: one row per event: item_id
-- inputs:  errata_raw.erased_items

select distinct item_id
from errata_raw.erased_items
where
    project_id = {project_id:UInt32}
    and erasure_id = {erasure_id:UUID}
    and item_id in {events:Array(UUID)}
