-- merges_of_project
-- purpose: which issues are part of others by now
-- parameters: project_id
-- returns: one row per merged issue: issue_id, target
-- inputs:  errata_read.issue_actions

select
    issue_id,
    argMax(if(action = 'merge', target_issue_id, 0), acted_at) as target
from errata_read.issue_actions(projects = [{project_id:UInt32}])
where action in ('merge', 'unmerge')
group by issue_id
having target != 0
order by issue_id
