-- purpose: a cheap look at whether anything happened to issues that news_of_issues tells of, or was taken back
-- returns: one row: action_count

select count() as action_count
from errata_raw.issue_actions
where
    action in ('assign', 'unassign', 'comment', 'delete_comment', 'regress', 'wake', 'unresolve', 'delete', 'undo')
    and acted_at >= {since:DateTime64(6, 'UTC')}
