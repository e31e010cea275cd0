-- purpose: whether people put issues together or took them apart after a request, and did not take that back
-- returns: one row: decision_count

select count() as decision_count
from errata_raw.issue_actions
where
    action in ('merge', 'unmerge', 'split', 'release', 'distinct')
    and (issue_id in {issue_ids:Array(UInt64)} or target_issue_id in {issue_ids:Array(UInt64)})
    and acted_at > (
        select max(acted_at)
        from errata_raw.issue_actions
        where batch_id = {batch_id:UUID}
    )
    and action_id not in (
        select about_action_id
        from errata_raw.issue_actions
        where action = 'undo'
    )
