-- errata_read.issue_states
-- purpose: what people last decided about each issue
-- parameters: projects
-- returns: one row per issue somebody decided about: state (resolve, unresolve, ignore), acted_at, actor
-- inputs:  errata_raw.issue_actions

create or replace view errata_read.issue_states
definer = errata_admin sql security definer
as
select
    project_id,
    issue_id,
    argMax(action, issue_actions.acted_at) as state,
    max(issue_actions.acted_at) as acted_at,
    argMax(issue_actions.actor, issue_actions.acted_at) as actor
from errata_raw.issue_actions as issue_actions
where
    project_id in {projects:Array(UInt32)}
    and action in ('resolve', 'unresolve', 'ignore')
group by project_id, issue_id
