-- purpose: where a release without figures was seen: whether its name is known, and whether page loads wait for a build
-- parameters: release
-- returns: one row per environment that names the release: has_loads; those with page loads first

select
    environment,
    max(is_load) as has_loads
from (
    select
        environment,
        true as is_load
    from errata_raw.page_views
    where release = {release:String}
    union all
    select
        environment,
        false as is_load
    from errata_raw.error_events
    where release = {release:String}
    union all
    select
        environment,
        false as is_load
    from errata_raw.requests
    where release = {release:String}
    union all
    select
        environment,
        false as is_load
    from errata_raw.sessions
    where release = {release:String}
)
group by environment
order by has_loads desc, environment
