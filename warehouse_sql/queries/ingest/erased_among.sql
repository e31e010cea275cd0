-- purpose: which items of a delivery were erased
-- returns: one row per item: project_id, item_id

select distinct
    project_id,
    item_id
from errata_raw.erased_items
where
    project_id in {projects:Array(UInt32)}
    and item_id in {item_ids:Array(UUID)}
