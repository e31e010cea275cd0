-- purpose: when the first row of a project was received that a mart may count; of none, now

select min(received_at) as first_received_at
from (
    select now64(3, 'UTC') as received_at
    union all
    select min(received_at)
    from errata_raw.error_events
    where project_id = {project_id:UInt32}
    having count() > 0
    union all
    select min(received_at)
    from errata_raw.page_views
    where project_id = {project_id:UInt32}
    having count() > 0
    union all
    select min(received_at)
    from errata_raw.page_resources
    where project_id = {project_id:UInt32}
    having count() > 0
    union all
    select min(received_at)
    from errata_raw.requests
    where project_id = {project_id:UInt32}
    having count() > 0
    union all
    select min(received_at)
    from errata_raw.deliveries
    where project_id = {project_id:UInt32}
    having count() > 0
)
