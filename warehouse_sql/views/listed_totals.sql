-- errata_read.listed_totals
-- purpose: the issues that have something in a standard period, as a build counted them: what a page is chosen by
-- parameters: period, since, built_through, environments (one, or none: all)
-- returns: one row per issue, with few columns: an engine takes its time for each, read or not
-- inputs:  errata_mart.issue_totals

create or replace view errata_read.listed_totals
sql security invoker
as
select
    issue_id,
    status,
    assignee,
    chosen_priority,
    level,
    texts as looks,
    event_count,
    user_count,
    first_seen,
    last_seen,
    deleted_at
from errata_mart.issue_totals
where
    period = {period:String}
    and since = {since:DateTime('UTC')}
    and is_whole = empty({environments:Array(String)})
    and environment = {environments:Array(String)}[1]
    and built_through = {built_through:DateTime64(3, 'UTC')}
