-- purpose: the projects page: events and users of the last hours of each project
-- definition: Events and users count the error events of the last 24 hours and their distinct users, each once.
-- parameters: since (a full hour), by_hour (true)
-- returns: one row per project that has events since then: project_id, event_count, user_count

select
    project_id,
    sum(counts.event_count) as event_count,
    uniqMerge(users_state) as user_count
from (
    ${part:variant_counts}
) as counts
group by project_id
settings enable_materialized_cte = 1
