-- errata_analysis.issue_days
-- purpose: error events and users of each issue, by day
-- returns: one row per project, day, issue, environment and release
-- inputs:  errata_analysis.issue_days_states

create or replace view errata_analysis.issue_days
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    day Date comment 'UTC day on which the events occurred',
    issue_id String comment 'issue id, as in the address of the issue''s page',
    title String comment 'exception type and message of the first variant',
    environment String comment 'environment of the counted events; empty when none was named',
    release String comment 'release of the counted events; empty when none was named',
    event_count UInt64 comment 'error events, each counted once',
    user_count UInt64 comment 'identified users',
    first_occurred_at DateTime64(3, 'UTC') comment 'first event, by the client''s clock',
    last_occurred_at DateTime64(3, 'UTC') comment 'last event, by the client''s clock',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
)
definer = current_user sql security definer
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
