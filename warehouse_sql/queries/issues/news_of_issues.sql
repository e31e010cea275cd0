-- news_of_issues
-- purpose: what lately happened to issues that people may want to hear of: assignments, comments, returns and deletions
-- parameters: since
-- returns: one row per action that nobody took back, the oldest first: project_id, issue_id, action_id, batch_id, acted_at, action, detail,
--   actor; assignee at that moment (empty: nobody), commenters before it
-- inputs:  errata_read.actions_in_force

with news as (
    select
        project_id,
        issue_id,
        action_id,
        batch_id,
        acted_at,
        action,
        detail,
        actor
    from errata_read.actions_in_force
    where
        action in ('assign', 'comment', 'regress', 'wake', 'delete')
        and acted_at >= {since:DateTime64(6, 'UTC')}
),

of_people as (
    select
        project_id,
        issue_id,
        acted_at,
        action,
        action_id,
        detail,
        actor
    from errata_read.actions_in_force
    where
        action in ('assign', 'unassign', 'comment')
        and (project_id, issue_id) in (select project_id, issue_id from news)
        and action_id not in (
            select about_action_id
            from errata_read.actions_in_force
            where action = 'delete_comment'
        )
),

people as (
    select
        project_id,
        issue_id,
        arraySort(
            groupArrayIf((acted_at, JSONExtractString(detail, 'assignee')), action in ('assign', 'unassign'))
        ) as assignments,
        groupArrayIf((acted_at, actor), action = 'comment') as comments,
        groupArrayIf(action_id, action = 'comment') as comment_ids
    from of_people
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
from news
left join people on news.project_id = people.project_id and news.issue_id = people.issue_id
where
    news.action != 'comment'
    or has(people.comment_ids, news.action_id)
order by acted_at, action_id
