-- purpose: the items of an erasure by table and day of receipt, so that no statement names too many
-- returns: one row per table and day: source, received_on, item_count, row_count

select
    source,
    received_on,
    count() as item_count,
    sum(row_count) as row_count
from (
    -- Two nodes may have recorded them at the same time.
    select distinct
        source,
        item_id,
        occurred_on,
        received_on,
        row_count
    from errata_raw.erased_items
    where
        project_id = {project_id:UInt32}
        and erasure_id = {erasure_id:UUID}
)
group by source, received_on
order by source, received_on
