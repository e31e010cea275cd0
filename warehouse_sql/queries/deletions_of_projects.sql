-- deletions_of_projects
-- purpose: whether anything was deleted with its issue that a question must leave out
-- parameters: projects
-- returns: one row: deletion_count (in force), version (changes with every deletion and undo of one)
-- inputs:  errata_read.issue_actions

with deletions as (
    select action_id
    from errata_read.issue_actions(projects = {projects:Array(UInt32)})
    where action = 'delete'
),

undone as (
    select about_action_id
    from errata_read.issue_actions(projects = {projects:Array(UInt32)})
    where
        action = 'undo'
        and about_action_id in (select action_id from deletions)
)

select
    countIf(action_id not in (select about_action_id from undone)) as deletion_count,
    count() + (select uniqExact(about_action_id) from undone) as version
from deletions
