-- purpose: what lately happened to issues that people may want to hear of: assignments, comments, returns, reopening and deletions
-- returns: one row per action that nobody took back, the oldest first: project_id, issue_id, action_id, batch_id, acted_at, action, detail,
--   actor; assignee at that moment (empty: nobody), commenters before it

with recent as (
    select
        project_id,
        issue_id
    from errata_raw.issue_actions
    where
        action in ('assign', 'comment', 'regress', 'wake', 'unresolve', 'delete')
        and acted_at >= {since:DateTime64(6, 'UTC')}
),

-- The whole log of these issues alone: an undo is in that of the issue it is about.
log as (
    select
        project_id,
        issue_id,
        action_id,
        batch_id,
        acted_at,
        action,
        detail,
        actor,
        about_action_id
    from errata_raw.issue_actions
    where (project_id, issue_id) in (select project_id, issue_id from recent)
),

undone as (
    select about_action_id
    from log
    where action = 'undo'
),

in_force as (
    select
        project_id,
        issue_id,
        action_id,
        batch_id,
        acted_at,
        action,
        detail,
        actor
    from log
    where
        action in ('assign', 'unassign', 'comment', 'regress', 'wake', 'unresolve', 'delete')
        and action_id not in (select about_action_id from undone)
        and action_id not in (
            select about_action_id
            from log
            where
                action = 'delete_comment'
                and action_id not in (select about_action_id from undone)
        )
),

people as (
    select
        project_id,
        issue_id,
        arraySort(
            groupArrayIf((acted_at, JSONExtractString(detail, 'assignee')), action in ('assign', 'unassign'))
        ) as assignments,
        groupArrayIf((acted_at, actor), action = 'comment') as comments
    from in_force
    group by project_id, issue_id
)

select
    news.project_id as project_id,
    news.issue_id as issue_id,
    news.action_id as action_id,
    news.batch_id as batch_id,
    news.acted_at as acted_at,
    news.action::String as action,
    news.detail as detail,
    news.actor::String as actor,
    (arrayLast(one -> one.1 <= news.acted_at, people.assignments)).2 as assignee,
    arrayDistinct(
        arrayMap(one -> one.2::String, arrayFilter(one -> one.1 < news.acted_at, people.comments))
    ) as commenters
from in_force as news
left join people on news.project_id = people.project_id and news.issue_id = people.issue_id
where
    news.action != 'unassign'
    and news.acted_at >= {since:DateTime64(6, 'UTC')}
order by acted_at, action_id
