-- neighbours_of_event
-- purpose: the events of an issue before and after one of them, and the first and last
-- parameters: project_id, issue_id, occurred_at, item_id
-- returns: one row: older, newer, oldest, newest (event ids, nil where there is none)
-- inputs:  errata_read.error_events, errata_read.issue_variants

with ids as (
    select
        occurred_at,
        item_id
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where
        variant_hash in (
            select variant_hash
            from errata_read.issue_variants(projects = [{project_id:UInt32}])
            where issue_id = {issue_id:UInt64}
        )
)

select
    argMaxIf(
        item_id,
        (occurred_at, item_id),
        (occurred_at, item_id) < ({occurred_at:DateTime64(3, 'UTC')}, {item_id:UUID})
    ) as older,
    argMinIf(
        item_id,
        (occurred_at, item_id),
        (occurred_at, item_id) > ({occurred_at:DateTime64(3, 'UTC')}, {item_id:UUID})
    ) as newer,
    argMin(item_id, (occurred_at, item_id)) as oldest,
    argMax(item_id, (occurred_at, item_id)) as newest
from ids
