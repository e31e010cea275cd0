-- deletions_of_projects
-- purpose: whether anything was deleted with its issue that a question must leave out
-- parameters: projects
-- returns: one row: deletion_count (in force)
-- inputs:  errata_read.issue_actions

select length(deleted) - length(arrayIntersect(deleted, undone)) as deletion_count
from (
    -- One look at the log: this is asked before every question that counts.
    select
        groupArrayIf(action_id, action = 'delete') as deleted,
        groupArrayIf(about_action_id, action = 'undo') as undone
    from errata_read.issue_actions(projects = {projects:Array(UInt32)})
    where action in ('delete', 'undo')
)
