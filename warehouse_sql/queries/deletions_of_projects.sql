-- purpose: whether anything was deleted with its issue that a question must leave out
-- returns: one row: deletion_count (in force)

select length(deleted) - length(arrayIntersect(deleted, undone)) as deletion_count
from (
    -- One look at the log: this is asked before every question that counts.
    select
        groupArrayIf(action_id, action = 'delete') as deleted,
        groupArrayIf(about_action_id, action = 'undo') as undone
    from errata_raw.issue_actions
    where action in ('delete', 'undo')
)
