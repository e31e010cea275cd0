-- errata_read.issue_decisions
-- purpose: the latest decision of each kind about each issue; one that was deleted begins anew
-- parameters: projects
-- returns: one row per issue somebody decided about: state (resolve, unresolve, ignore, wake; empty: none) with its
--   release and resolution (now, next, release), until (1970: without an end) and condition (empty: none);
--   assignee, chosen_priority, deleted_at (1970: never)
-- inputs:  errata_read.actions_in_force

create or replace view errata_read.issue_decisions
definer = errata_admin sql security definer
as
with deletions as (
    select
        project_id,
        issue_id,
        max(acted_at) as deleted_at
    from errata_read.actions_in_force(projects = {projects:Array(UInt32)})
    where action = 'delete'
    group by project_id, issue_id
),

folded as (
    select
        actions.project_id as project_id,
        actions.issue_id as issue_id,
        any(deletions.deleted_at) as deleted_at,
        argMaxIf(
            (action, actions.acted_at, actor, detail, action_id),
            (actions.acted_at, action_id),
            action in ('resolve', 'unresolve', 'ignore', 'wake') and actions.acted_at > deletions.deleted_at
        ) as decision,
        argMaxIf(
            detail,
            (actions.acted_at, action_id),
            action in ('assign', 'unassign') and actions.acted_at > deletions.deleted_at
        ) as assignment,
        argMaxIf(
            detail,
            (actions.acted_at, action_id),
            action = 'prioritize' and actions.acted_at > deletions.deleted_at
        ) as prioritization
    from errata_read.actions_in_force(projects = {projects:Array(UInt32)}) as actions
    left join deletions
        on actions.project_id = deletions.project_id and actions.issue_id = deletions.issue_id
    where
        action in ('resolve', 'unresolve', 'ignore', 'wake', 'assign', 'unassign', 'prioritize', 'delete')
    group by project_id, issue_id
)

select
    project_id,
    issue_id,
    decision.1 as state,
    decision.2 as acted_at,
    decision.3 as actor,
    decision.5 as action_id,
    JSONExtractString(decision.4, 'in') as resolution,
    JSONExtractString(decision.4, 'release') as release,
    parseDateTime64BestEffortOrZero(JSONExtractString(decision.4, 'until'), 3, 'UTC') as until,
    JSONExtractRaw(decision.4, 'condition') as condition,
    JSONExtractString(assignment, 'assignee') as assignee,
    JSONExtractString(prioritization, 'priority') as chosen_priority,
    deleted_at
from folded
