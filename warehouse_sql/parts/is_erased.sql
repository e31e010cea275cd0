-- purpose: a condition: the row is of an item that an erasure recorded. Only ids are named: the engine keeps the text of its last mutations
-- parameters: project_id, erasure_id, since, until (days of receipt, both included)
received_at >= toDateTime64({since:Date}, 3, 'UTC')
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
