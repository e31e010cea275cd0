-- purpose: where an issue is by merges: the issue it is part of by now, and all others that are part of it or of that one
-- returns: one row: merged_into (0: a whole issue), parts

select
    anyIf(whole_issue_id, issue_id = {issue_id:UInt64}) as merged_into,
    arrayMap(
        merge -> merge.1,
        arrayFilter(
            merge -> merge.2 = if(merged_into = 0, {issue_id:UInt64}, merged_into),
            groupArray((issue_id, whole_issue_id))
        )
    ) as parts
from (
    -- Whoever decides appends the end of every chain it changes: one step leads there.
    select
        issue_id,
        argMax(if(action = 'unmerge', 0, target_issue_id), acted_at) as whole_issue_id
    from errata_raw.issue_actions
    where action in ('merge', 'unmerge', 'join', 'follow')
    group by issue_id
    having whole_issue_id not in (0, issue_id)
)
