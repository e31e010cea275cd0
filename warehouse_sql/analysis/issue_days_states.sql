-- errata_analysis.issue_days_states
-- purpose: issue_days with a state to merge rows into figures of any span: uniqMerge(users)
-- plain:   error events and users of each issue, by day
-- returns: one row per project, day, issue, environment and release
-- mart:    errata_mart.variant_daily
-- columns: project_id, day, issue_id, title, environment, release, event_count, user_count, users, first_occurred_at, last_occurred_at,
--   built_through
-- inputs:  errata_read.published_versions, errata_mart.issues, errata_mart.variant_daily, errata_raw.variant_assignments

create or replace view errata_analysis.issue_days_states
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    issue_id String comment 'issue id, as in the address of the issue''s page',
    title String comment 'exception type and message of the first variant',
    user_count UInt64 comment 'identified users',
    users AggregateFunction(uniq, UInt64) comment 'identified users, to merge days or issues: uniqMerge(users)'
)
definer = current_user sql security definer
as
with published as (
    select version
    from errata_read.published_versions
    where mart = 'variant_daily'
),

members as (
    -- The variants that belong to each issue now.
    select
        assigned.project_id as project_id,
        assigned.issue_id as issue_id,
        assigned.variant_hash as variant_hash,
        assigned.cut_at as cut_at,
        issues.title as title
    from errata_raw.variant_assignments as assigned final
    inner join errata_mart.issues as issues
        on assigned.project_id = issues.project_id and assigned.issue_id = issues.issue_id
    where issues.version in (select version from errata_read.published_versions where mart = 'issues')
)

select
    daily.project_id as project_id,
    daily.day as day,
    leftPad(lower(hex(members.issue_id)), 16, '0') as issue_id,
    any(members.title) as title,
    daily.environment as environment,
    daily.release as release,
    sum(daily.event_count) as event_count,
    uniqMerge(daily.users_state) as user_count,
    uniqMergeState(daily.users_state) as users,
    min(daily.first_occurred_at) as first_occurred_at,
    max(daily.last_occurred_at) as last_occurred_at,
    max(daily.built_through) as built_through
from errata_mart.variant_daily as daily
inner join members on daily.project_id = members.project_id and daily.variant_hash = members.variant_hash
where
    daily.version in (select version from published)
    -- What came before a deletion counts nowhere.
    and daily.after_deletion_at >= members.cut_at
group by daily.project_id, daily.day, members.issue_id, daily.environment, daily.release
