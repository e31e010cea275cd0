-- purpose: whether anybody decided anything about an issue, put another one into it, or deleted any issue: of most nobody did
-- returns: one row: action_count (entries of the log, of either kind), merge_count (of merges, in or out); of the whole
--   project deletion_count

select
    countIf(issue_id = {issue_id:UInt64} or target_issue_id = {issue_id:UInt64}) as action_count,
    countIf(
        (issue_id = {issue_id:UInt64} or target_issue_id = {issue_id:UInt64})
        and action in ('merge', 'unmerge', 'join', 'follow')
    ) as merge_count,
    countIf(action = 'delete') as deletion_count
from errata_raw.issue_actions
