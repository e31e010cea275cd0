-- errata_analysis.issues
-- purpose: every issue with its state and its counts of all time
-- returns: one row per project and issue
-- mart:    errata_mart.issues
-- columns: project_id, issue_id, title, culprit, type, level, platform, status, assignee, chosen_priority, variant_count, event_count,
--   user_count, first_seen, last_seen, first_release, last_release, built_through
-- inputs:  errata_read.published_versions, errata_mart.issues

create or replace view errata_analysis.issues
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    issue_id String comment 'issue id, as in the address of the issue''s page',
    event_count UInt64 comment 'error events of all time, each counted once',
    user_count UInt64 comment 'identified users of all time'
)
definer = current_user sql security definer
as
select * replace (leftPad(lower(hex(counted.issue_id)), 16, '0') as issue_id)
from errata_mart.issues as counted
where version in (select version from errata_read.published_versions where mart = 'issues')
