-- purpose: the recorded items of an erasure, in as many parts as one answer can hold
-- returns: one row per item, table and days: item_id, source, occurred_on, received_on, row_count

select
    item_id,
    source,
    occurred_on,
    received_on,
    row_count
from errata_raw.erased_items
where
    project_id = {project_id:UInt32}
    and erasure_id = {erasure_id:UUID}
    and cityHash64(item_id) % {part_count:UInt32} = {part:UInt32}
