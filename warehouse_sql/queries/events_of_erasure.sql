-- purpose: which of these events an erasure removes
-- returns: one row per event: item_id

select distinct item_id
from errata_raw.erased_items
where
    project_id = {project_id:UInt32}
    and erasure_id = {erasure_id:UUID}
    and item_id in {events:Array(UUID)}
