-- errata_analysis.issue_days_states
-- purpose: issue_days with a state to merge rows into figures of any span: uniqMerge(users)
-- returns: one row per project, day, issue, environment and release
-- inputs:  errata_read.published_versions, errata_mart.issue_totals, errata_mart.variant_daily, errata_raw.issue_actions

create or replace view errata_analysis.issue_days_states
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    day Date comment 'UTC, on which the events occurred',
    issue_id UInt64 comment 'as in the address of its page',
    title String comment 'type and message of its first variant',
    environment String comment 'of the events',
    release String comment 'of the events; empty: none was named',
    event_count UInt64 comment 'each counted once',
    user_count UInt64 comment 'identified users',
    users AggregateFunction(uniq, UInt64) comment 'to merge days or issues: uniqMerge(users)',
    first_occurred_at DateTime64(3, 'UTC') comment 'by the client''s clock',
    last_occurred_at DateTime64(3, 'UTC') comment 'by the client''s clock',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
with published as (
    select version
    from errata_read.published_versions
    where mart = 'variant_daily'
),

members as (
    -- What each issue is put together from, as of its last build.
    select
        project_id,
        issue_id,
        title,
        arrayJoin(variant_hashes) as variant_hash
    from errata_mart.issue_totals
    where
        period = 'all'
        and is_whole
        and version in (select version from errata_read.published_versions where mart = 'issue_totals')
),

deletions as (
    -- A deletion names the variants that its issue had then.
    select
        project_id,
        arrayJoin(JSONExtract(detail, 'variants', 'Array(UInt64)')) as variant_hash,
        max(acted_at) as cut_at
    from errata_raw.issue_actions
    where
        action = 'delete'
        and action_id not in (select about_action_id from errata_raw.issue_actions where action = 'undo')
    group by project_id, variant_hash
)

select
    daily.project_id as project_id,
    daily.day as day,
    members.issue_id as issue_id,
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
left join deletions on daily.project_id = deletions.project_id and daily.variant_hash = deletions.variant_hash
where
    daily.version in (select version from published)
    -- What came before a deletion counts nowhere.
    and daily.after_deletion_at >= deletions.cut_at
group by daily.project_id, daily.day, members.issue_id, daily.environment, daily.release
