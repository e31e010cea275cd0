-- purpose: records the tables and days of copies of erased items that were stored while their ids were being recorded

insert into errata_raw.erased_items (project_id, item_id, erasure_id, source, occurred_on, received_on, row_count)
select
    {project_id:UInt32} as project_id,
    item_id,
    {erasure_id:UUID} as erasure_id,
    '${table}' as source,
    toDate(occurred_at) as occurred_on,
    toDate(received_at) as received_on,
    toUInt32(count()) as row_count
from ${table}
where
    project_id = {project_id:UInt32}
    and received_at > {since:DateTime64(3, 'UTC')}
    and item_id in (
        select item_id
        from errata_raw.erased_items
        where
            project_id = {project_id:UInt32}
            and erasure_id = {erasure_id:UUID}
            and item_id in (
                select item_id
                from ${table}
                where project_id = {project_id:UInt32} and received_at > {since:DateTime64(3, 'UTC')}
            )
    )
    and (item_id, toDate(occurred_at), toDate(received_at)) not in (
        select
            item_id,
            occurred_on,
            received_on
        from errata_raw.erased_items
        where
            project_id = {project_id:UInt32}
            and erasure_id = {erasure_id:UUID}
            and source = '${table}'
    )
group by item_id, occurred_on, received_on
