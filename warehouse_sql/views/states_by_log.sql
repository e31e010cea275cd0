-- errata_read.states_by_log
-- purpose: the state of each issue as the log of decisions says: what errata_raw.issue_states is written from and compared with
-- parameters: projects (none: all), issues (none: all)
-- returns: one row per issue that anybody decided about, as in errata_raw.issue_states. Its version grows with every entry about the issue
-- inputs:  errata_raw.issue_actions

create or replace view errata_read.states_by_log
sql security invoker
as
with entries as (
    select
        *,
        -- As in actions_in_force.
        action_id not in (
            select about_action_id
            from errata_raw.issue_actions
            where
                (empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)})
                and (empty({issues:Array(UInt64)}) or issue_id in {issues:Array(UInt64)})
                and action = 'undo'
        ) as is_in_force
    from errata_raw.issue_actions
    where
        (empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)})
        and (empty({issues:Array(UInt64)}) or issue_id in {issues:Array(UInt64)})
        and action in (
            'resolve', 'unresolve', 'ignore', 'regress', 'wake', 'assign', 'unassign', 'prioritize', 'delete', 'undo'
        )
),

folded as (
    -- A deletion is the latest word of every kind: whatever was decided before it is over.
    select
        project_id,
        issue_id,
        argMaxIf(
            (action, entries.acted_at, actor, detail, action_id),
            (entries.acted_at, action_id),
            is_in_force and action in ('resolve', 'unresolve', 'ignore', 'delete')
        ) as decision,
        -- What came back belongs to one decision, whenever it was written down.
        groupArrayIf(
            (about_action_id, entries.acted_at, detail),
            is_in_force and action in ('regress', 'wake')
        ) as returns,
        argMaxIf(
            detail,
            (entries.acted_at, action_id),
            is_in_force and action in ('assign', 'unassign', 'delete')
        ) as assignment,
        argMaxIf(
            detail,
            (entries.acted_at, action_id),
            is_in_force and action in ('prioritize', 'delete')
        ) as prioritization,
        maxIf(entries.acted_at, is_in_force and action = 'delete') as deleted_at,
        count() as version
    from entries
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
    JSONExtractString(assignment, 'assignee') as assignee,
    JSONExtractString(prioritization, 'priority') as chosen_priority,
    deleted_at,
    version
from folded
