-- purpose: when the first page load of releases of a project occurred
-- parameters: project_id, environment, releases, day (of these first loads)
-- returns: one row per release: first_view_at

select
    release::String as release,
    min(occurred_at) as first_view_at
from errata_mart.page_loads as loads
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and loads.release in {releases:Array(String)}
    and navigation_type = 'navigate'
    and toDate(hour) = {day:Date}
group by release
