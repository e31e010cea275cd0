-- purpose: issues whose counts a decision since a moment may have moved, such as a merge

select distinct
    project_id,
    arrayJoin(if(target_issue_id = 0, [issue_id], [issue_id, target_issue_id])) as issue
from errata_raw.issue_actions
where acted_at >= {since:DateTime64(3, 'UTC')}
