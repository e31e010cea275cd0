-- purpose: which issues are part of others by now, and by whose word
-- parameters: without (actions that count as taken back)
-- returns: one row per issue anybody decided about: issue_id; parent (the issue it was put into, 0: none), is_joined (by
--   the pipelines), root (the issue at the end of the chain, 0: itself), and whether a person took it out for good

with undone as (
    select about_action_id
    from errata_raw.issue_actions
    where action = 'undo'
)

select
    issue_id,
    argMaxIf(if(action = 'unmerge', 0, target_issue_id), acted_at, is_a_persons) as merged_into,
    countIf(is_a_persons) > 0 as is_decided,
    argMaxIf(target_issue_id, acted_at, action = 'join') as joined_to,
    if(is_decided, merged_into, joined_to) as parent,
    not is_decided and joined_to != 0 as is_joined,
    -- Taking a merge back appends the end of each chain it changes, like whatever else does.
    argMax(if(action = 'unmerge', 0, target_issue_id), acted_at) as latest,
    if(latest = issue_id, 0, latest) as root
from (
    select
        issue_id,
        action,
        acted_at,
        target_issue_id,
        action in ('merge', 'unmerge')
        and action_id not in (select about_action_id from undone)
        and action_id not in {without:Array(UUID)} as is_a_persons
    from errata_raw.issue_actions
    where action in ('merge', 'unmerge', 'join', 'follow')
)
group by issue_id
order by issue_id
