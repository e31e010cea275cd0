-- purpose: rows of single events and page loads in marts that are older than what raw can rebuild: they go by their ids
-- returns: one row per item and day: source, item_id, occurred_on, row_count

select
    'errata_mart.repeated_events' as source,
    item_id,
    toDate(occurred_at) as occurred_on,
    toUInt32(count()) as row_count
from errata_mart.repeated_events
where
    project_id = {project_id:UInt32}
    and hour < {events_before:DateTime('UTC')}
    and (
        has({events:Array(UUID)}, item_id)
        or (user_hash != 0 and has({users:Array(UInt64)}, user_hash))
    )
group by item_id, occurred_on
union all
select
    'errata_mart.page_loads' as source,
    item_id,
    toDate(occurred_at) as occurred_on,
    toUInt32(count()) as row_count
from errata_mart.page_loads
where
    project_id = {project_id:UInt32}
    and hour < {loads_before:DateTime('UTC')}
    and user_hash != 0
    and has({users:Array(UInt64)}, user_hash)
group by item_id, occurred_on
