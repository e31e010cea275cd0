-- purpose: the projects page: the open issues of each project, and when it had its last event
-- definition: Open issues are those that are neither resolved nor ignored.
-- parameters: since (the start of a day), by_hour (false)
-- returns: one row per project that has events since then: project_id, open_issue_count, last_seen

with issues as (
    select
        variants.project_id as project_id,
        variants.issue_id as issue_id,
        max(last_occurred_at) as last_seen
    from (
        ${part:variant_counts}
    ) as counts
    inner join errata_raw.variant_assignments as variants final
        on counts.project_id = variants.project_id and counts.variant_hash = variants.variant_hash
    group by project_id, issue_id
)

select
    issues.project_id as project_id,
    countIf(states.status in ('', 'unresolved', 'regressed')) as open_issue_count,
    max(issues.last_seen) as last_seen
from issues
left join errata_read.issue_states as states
    on issues.project_id = states.project_id and issues.issue_id = states.issue_id
group by project_id
settings enable_materialized_cte = 1
