-- erased_among
-- purpose: which items of a delivery were erased
-- parameters: project_ids, item_ids
-- returns: one row per item: project_id, item_id
-- inputs:  errata_raw.erased_items

select distinct
    project_id,
    item_id
from errata_raw.erased_items
where
    project_id in {project_ids:Array(UInt32)}
    and item_id in {item_ids:Array(UUID)}
