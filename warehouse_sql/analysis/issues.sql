-- errata_analysis.issues
-- purpose: every issue with its state and its counts of all time
-- returns: one row per project and issue
-- inputs:  errata_read.published_versions, errata_mart.issues

create or replace view errata_analysis.issues
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    issue_id UInt64 comment 'as in the address of its page',
    title String comment 'type and message of its first variant',
    culprit String comment 'the place it is named after',
    type String comment 'of the error',
    level String comment 'fatal, error, warning, info or debug',
    platform String comment 'as the SDK names it',
    status String comment 'unresolved, resolved, regressed, ignored',
    assignee String comment 'e-mail address; empty: nobody',
    chosen_priority String comment 'high, medium, low; empty: as computed',
    variant_count UInt64 comment 'distinct stacks and messages',
    event_count UInt64 comment 'of all time',
    user_count UInt64 comment 'identified users of all time',
    first_seen DateTime64(3, 'UTC') comment 'first event',
    last_seen DateTime64(3, 'UTC') comment 'last event',
    first_release String comment 'empty: none was named',
    last_release String comment 'empty: none was named',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
select
    project_id,
    issue_id,
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
from errata_mart.issues
where version in (select version from errata_read.published_versions where mart = 'issues')
