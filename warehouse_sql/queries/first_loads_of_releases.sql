-- first_loads_of_releases
-- purpose: when the first page load of releases of a project occurred
-- parameters: project_id, environment, releases, since, until (moments of receipt, half-open)
-- returns: one row per release: first_view_at
-- inputs:  errata_raw.page_views

select
    release::String as release,
    min(occurred_at) as first_view_at
from errata_raw.page_views
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and release in {releases:Array(String)}
    and is_load
    and navigation_type = 'navigate'
    and received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
group by release
