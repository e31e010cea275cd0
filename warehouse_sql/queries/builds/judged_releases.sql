-- purpose: what the last build of each release of a project knew: which of them are due again
-- returns: one row per environment and release: first_view, previous, hours, counted, loads, built_at

select
    environment::String as environment,
    release,
    argMax(first_view_at, built_through) as first_view,
    argMax(previous_release, built_through) as previous,
    argMax(look_hours, built_through) as hours,
    argMax(source_count, built_through) as counted,
    argMax(view_count, built_through) as loads,
    max(built_through) as built_at
from errata_mart.release_metrics
where project_id = {project_id:UInt32}
group by environment, release
