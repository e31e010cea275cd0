-- purpose: when the last deletion of an issue, or undo of one, was
-- returns: one row: changed_at

select max(acted_at) as changed_at
from errata_raw.issue_actions
where
    action = 'delete'
    or action = 'undo'
    and about_action_id in (
        select action_id
        from errata_raw.issue_actions
        where action = 'delete'
    )
