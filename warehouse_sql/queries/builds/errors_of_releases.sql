-- purpose: how many error events came from releases of a project, as of the last build of the days
-- parameters: project_id, environment, releases, sinces (of each release a day)
-- returns: one row per release: error_count

select
    release::String as release,
    sum(event_count) as error_count
from errata_mart.variant_daily
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and release in {releases:Array(String)}
    and day >= arrayMin({sinces:Array(Date)})
    and day >= transform(release::String, {releases:Array(String)}, {sinces:Array(Date)}, toDate(0))
group by release
