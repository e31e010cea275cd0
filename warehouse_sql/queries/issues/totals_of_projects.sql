-- purpose: the projects page: events and users of the last hours of each project, and its open issues
-- definition: Open issues are those that are neither resolved nor ignored. Events and users count the error events of the last 24 hours and their
--   distinct users, each once.
-- returns: one row per project that has events since the earlier of the two

with hours as (
    select
        project_id,
        sum(counts.event_count) as event_count,
        uniqMerge(users_state) as user_count
    from errata_read.variant_counts(
        since = {since:DateTime('UTC')}, by_hour = true
    ) as counts
    group by project_id
),

issues as (
    select
        variants.project_id as project_id,
        variants.issue_id as issue_id,
        max(last_occurred_at) as last_seen
    from errata_read.variant_counts(
        since = {issues_since:DateTime('UTC')}, by_hour = false
    ) as counts
    inner join errata_read.issue_variants as variants
        on counts.project_id = variants.project_id and counts.variant_hash = variants.variant_hash
    group by project_id, issue_id
),

open_issues as (
    select
        issues.project_id as project_id,
        countIf(states.status in ('', 'unresolved', 'regressed')) as open_issue_count,
        max(issues.last_seen) as last_seen
    from issues
    left join errata_read.issue_states as states
        on issues.project_id = states.project_id and issues.issue_id = states.issue_id
    group by project_id
)

select
    open_issues.project_id as project_id,
    hours.event_count as event_count,
    hours.user_count as user_count,
    open_issues.open_issue_count as open_issue_count,
    open_issues.last_seen as last_seen
from open_issues
left join hours on open_issues.project_id = hours.project_id
order by project_id
settings enable_materialized_cte = 1
