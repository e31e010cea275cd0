-- erased_rows_left
-- purpose: how many rows of erased items a table still has
-- parameters: project_id, erasure_id, since, until (days of receipt, both included)
-- names: table
-- returns: one row: row_count
-- inputs:  errata_raw.error_events, errata_raw.erased_items

select count() as row_count
from ${table}
where
    project_id = {project_id:UInt32}
    and received_at >= toDateTime64({since:Date}, 3, 'UTC')
    and received_at < toDateTime64({until:Date} + 1, 3, 'UTC')
    and item_id in (
        select item_id
        from errata_raw.erased_items
        where
            project_id = {project_id:UInt32}
            and erasure_id = {erasure_id:UUID}
            and source = '${table}'
            and received_on between {since:Date} and {until:Date}
    )
