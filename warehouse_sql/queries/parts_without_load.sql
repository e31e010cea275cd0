-- parts_without_load
-- purpose: how many parts of page views came without the part that opens the view
-- parameters: projects, since
-- returns: one row: part_count
-- inputs:  errata_read.page_views

with raw as (
    select
        project_id,
        item_id,
        view_id,
        trace_id,
        is_load
    from errata_read.page_views(projects = {projects:Array(UInt32)})
    where
        received_at >= {since:DateTime('UTC')} - toIntervalDay(2)
        and occurred_at >= {since:DateTime('UTC')} - toIntervalDay(2)
)

select uniqExact(project_id, item_id) as part_count
from raw
where
    not is_load
    and (
        (view_id != 0 and (project_id, view_id) not in (select project_id, view_id from raw where is_load))
        or (view_id = 0 and (project_id, trace_id) not in (select project_id, trace_id from raw where is_load))
    )
