-- decided_issues
-- purpose: to whom issues of a list are assigned, and the priority that people set
-- parameters: project_id, issue_ids
-- returns: one row per issue with one of both: issue_id, assignee, chosen_priority; empty: none
-- inputs:  errata_read.issue_states

select
    issue_id,
    assignee,
    chosen_priority
from errata_read.issue_states(projects = [{project_id:UInt32}])
where
    issue_id in {issue_ids:Array(UInt64)}
    and (assignee != '' or chosen_priority != '')
