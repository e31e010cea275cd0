-- statuses_of_issues
-- purpose: the state of some issues at this moment, of which a build may know less
-- parameters: issue_ids
-- returns: one row per issue that somebody decided about: status, assignee, chosen_priority and deleted_at (microseconds, 0: never)
-- inputs:  errata_read.states_by_log

select
    issue_id,
    -- As in errata_read.issue_states.
    multiIf(
        state = 'resolve' and returned_at > toDateTime64(0, 6, 'UTC'), 'regressed',
        state = 'resolve', 'resolved',
        state = 'ignore'
        and returned_at = toDateTime64(0, 6, 'UTC')
        and (until = toDateTime64(0, 3, 'UTC') or until > now64(3)), 'ignored',
        'unresolved'
    ) as status,
    assignee,
    chosen_priority,
    toUnixTimestamp64Micro(deleted_at) as deleted_at
-- The answer is remembered by the length of the log: it must not be of before it was written through.
from errata_read.states_by_log(
    projects = [], issues = {issue_ids:Array(UInt64)}
)
