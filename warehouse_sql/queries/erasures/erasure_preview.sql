-- purpose: how many rows of each table an erasure would remove
-- returns: one row per table with rows: source, row_count, item_count

select
    source,
    sum(found.row_count) as row_count,
    uniqExactIf(item_id, found.row_count > 0) as item_count
from (
    ${part:rows_to_erase}
) as found
group by source
having row_count > 0
order by source
