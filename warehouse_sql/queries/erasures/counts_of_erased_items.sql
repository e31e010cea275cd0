-- purpose: how many items are recorded for each erasure
-- returns: one row per erasure: erasure_id, item_count

select
    erasure_id,
    count() as item_count
from errata_raw.erased_items
group by erasure_id
