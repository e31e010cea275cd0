-- judged_releases
-- purpose: what the last build of each release knew: which of them are due again
-- returns: one row per project, environment and release: first_view, previous, hours, counted, loads, built_at
-- inputs:  errata_mart.release_metrics

select
    project_id,
    environment::String as environment,
    release,
    argMax(first_view_at, built_through) as first_view,
    argMax(previous_release, built_through) as previous,
    argMax(look_hours, built_through) as hours,
    argMax(source_count, built_through) as counted,
    argMax(view_count, built_through) as loads,
    max(built_through) as built_at
from errata_mart.release_metrics
group by project_id, environment, release
