-- errata_analysis.issues
-- purpose: every issue with its state and its counts of all time
-- returns: one row per project and issue
-- inputs:  errata_read.published_versions, errata_mart.issues

create or replace view errata_analysis.issues
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    issue_id String comment 'issue id, as in the address of the issue''s page',
    title String comment 'exception type and message of the first variant',
    culprit String comment 'frame shown as the place of the error',
    type String comment 'exception type',
    level String comment 'fatal, error, warning, info or debug',
    platform String comment 'platform as named by the SDK',
    status String comment 'unresolved, resolved, regressed or ignored',
    assignee String comment 'email address; empty: nobody',
    chosen_priority String comment 'priority set manually: high, medium or low; empty: computed',
    variant_count UInt64 comment 'distinct stacks and messages',
    event_count UInt64 comment 'error events of all time, each counted once',
    user_count UInt64 comment 'identified users of all time',
    first_seen DateTime64(3, 'UTC') comment 'first event, by the client''s clock',
    last_seen DateTime64(3, 'UTC') comment 'last event, by the client''s clock',
    first_release String comment 'release of the first event that named one; empty: none',
    last_release String comment 'release of the last event that named one; empty: none',
    built_through DateTime64(3, 'UTC') comment 'events received before this moment are counted'
)
definer = current_user sql security definer
as
select
    project_id,
    leftPad(lower(hex(counted.issue_id)), 16, '0') as issue_id,
    title,
    culprit,
    type,
    level,
    platform,
    status,
    assignee,
    chosen_priority,
    variant_count,
    event_count,
    user_count,
    first_seen,
    last_seen,
    first_release,
    last_release,
    built_through
from errata_mart.issues as counted
where version in (select version from errata_read.published_versions where mart = 'issues')
