-- errata_read.actions_in_force
-- purpose: what people decided about issues and nobody took back
-- returns: one row per action but undo, as in the log
-- inputs:  errata_raw.issue_actions

create or replace view errata_read.actions_in_force
sql security invoker
as
select *
from errata_raw.issue_actions
where
    action != 'undo'
    and action_id not in (
        select about_action_id
        from errata_raw.issue_actions
        where action = 'undo'
    )
