-- errata_read.issue_states
-- purpose: the state of each issue at this moment: what people decided and nobody took back, what came back, and the clock
-- returns: one row per issue somebody decided about: status (unresolved, resolved, regressed, ignored); the decision
--   that holds, with state (resolve, unresolve, ignore, delete; empty: none), acted_at, actor, action_id; its resolution (now, next,
--   release) and release, until (1970: without an end) and condition (JSON, empty: none); returned_at and return_detail
--   (of what brought it back, 1970: nothing); assignee; chosen_priority; deleted_at (1970: never)
-- inputs:  errata_raw.issue_actions

create or replace view errata_read.issue_states
sql security invoker
as
with folded as (
    -- A deletion is the latest word of every kind: whatever was decided before it is over.
    select
        project_id,
        issue_id,
        argMaxIf(
            (action, actions.acted_at, actor, detail, action_id),
            (actions.acted_at, action_id),
            action in ('resolve', 'unresolve', 'ignore', 'delete')
        ) as decision,
        -- What came back belongs to one decision, whenever it was written down.
        groupArrayIf((about_action_id, actions.acted_at, detail), action in ('regress', 'wake')) as returns,
        argMaxIf(detail, (actions.acted_at, action_id), action in ('assign', 'unassign', 'delete')) as assignment,
        argMaxIf(detail, (actions.acted_at, action_id), action in ('prioritize', 'delete')) as prioritization,
        maxIf(actions.acted_at, action = 'delete') as deleted_at
    from errata_raw.issue_actions as actions
    where
        action in (
            'resolve', 'unresolve', 'ignore', 'regress', 'wake', 'assign', 'unassign', 'prioritize', 'delete'
        )
        -- As in actions_in_force.
        and action_id not in (
            select about_action_id
            from errata_raw.issue_actions
            where action = 'undo'
        )
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
    arrayFirst(back -> back.1 = action_id, returns) as back,
    back.2 as returned_at,
    back.3 as return_detail,
    multiIf(
        state = 'resolve' and returned_at > toDateTime64(0, 6, 'UTC'), 'regressed',
        state = 'resolve', 'resolved',
        state = 'ignore'
        and returned_at = toDateTime64(0, 6, 'UTC')
        and (until = toDateTime64(0, 3, 'UTC') or until > now64(3)), 'ignored',
        'unresolved'
    ) as status,
    JSONExtractString(assignment, 'assignee') as assignee,
    JSONExtractString(prioritization, 'priority') as chosen_priority,
    deleted_at
from folded
