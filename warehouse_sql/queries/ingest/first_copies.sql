-- purpose: when the first copy of each of these events was counted, for copies that cannot say it themselves
-- returns: project_id, item_id, occurred_at

select
    project_id,
    item_id,
    argMin(occurred_at, received_at) as occurred_at
from errata_raw.error_events
where
    project_id in {projects:Array(UInt32)}
    and item_id in {item_ids:Array(UUID)}
group by project_id, item_id
