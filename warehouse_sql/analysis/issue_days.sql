-- errata_analysis.issue_days
-- purpose: error events and users of each issue, by day
-- returns: one row per project, day, issue, environment and release
-- inputs:  errata_analysis.issue_days_states

create or replace view errata_analysis.issue_days
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    day Date comment 'UTC, on which the events occurred',
    issue_id UInt64 comment 'as in the address of its page',
    title String comment 'type and message of its first variant',
    environment String comment 'of the events',
    release String comment 'of the events; empty: none was named',
    event_count UInt64 comment 'each counted once',
    user_count UInt64 comment 'identified users',
    first_occurred_at DateTime64(3, 'UTC') comment 'by the client''s clock',
    last_occurred_at DateTime64(3, 'UTC') comment 'by the client''s clock',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
select
    project_id,
    day,
    issue_id,
    title,
    environment,
    release,
    event_count,
    user_count,
    first_occurred_at,
    last_occurred_at,
    built_through
from errata_analysis.issue_days_states
