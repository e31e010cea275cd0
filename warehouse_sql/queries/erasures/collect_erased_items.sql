-- purpose: records the ids of the items that an erasure removes, once each

insert into errata_raw.erased_items (project_id, item_id, erasure_id, source, occurred_on, received_on, row_count)
select
    {project_id:UInt32} as project_id,
    item_id,
    {erasure_id:UUID} as erasure_id,
    source,
    occurred_on,
    received_on,
    row_count
from (
    ${part:rows_to_erase}
) as found
where (source, item_id, occurred_on, received_on) not in (
    select
        source,
        item_id,
        occurred_on,
        received_on
    from errata_raw.erased_items
    where
        project_id = {project_id:UInt32}
        and erasure_id = {erasure_id:UUID}
)
