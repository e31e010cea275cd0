-- actions_about_issue
-- purpose: whether anybody decided anything about an issue, or put another one into it: of most nobody did
-- parameters: project_id, issue_id
-- returns: one row: action_count (entries of the log, of either kind), merge_count (of merges, in or out)
-- inputs:  errata_read.issue_actions

select
    count() as action_count,
    countIf(action in ('merge', 'unmerge', 'join', 'follow')) as merge_count
from errata_read.issue_actions(projects = [{project_id:UInt32}])
where issue_id = {issue_id:UInt64} or target_issue_id = {issue_id:UInt64}
