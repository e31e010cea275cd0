-- purpose: when the releases of a project were first seen by page loads: deployments on charts
-- returns: one row per environment and release: began_at, loads, the earliest first

select
    environment::String as environment,
    release,
    argMax(first_view_at, built_through) as began_at,
    argMax(view_count, built_through) as loads
from errata_mart.release_metrics
group by environment, release
having began_at >= {since:DateTime('UTC')}
order by began_at, release
