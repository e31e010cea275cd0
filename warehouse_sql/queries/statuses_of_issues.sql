-- statuses_of_issues
-- purpose: the state of some issues at this moment, of which a build may know less
-- parameters: issue_ids
-- returns: one row per issue that somebody decided about: status, assignee, chosen_priority and deleted_at (microseconds, 0: never)
-- inputs:  errata_read.issue_states

select
    issue_id,
    status::String as status,
    assignee,
    chosen_priority,
    toUnixTimestamp64Micro(deleted_at) as deleted_at
from errata_read.issue_states
where issue_id in {issue_ids:Array(UInt64)}
