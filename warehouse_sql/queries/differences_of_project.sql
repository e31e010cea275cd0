-- purpose: which issues people said are not the same, by splitting, by taking a merge back, or in so many words
-- returns: one row per pair, as it was said: left_issue_id, right_issue_id

select distinct
    issue_id as left_issue_id,
    -- An unmerge has no target of its own, so that older readers take it as one.
    if(action = 'unmerge', reinterpretAsUInt64(reverse(unhex(JSONExtractString(detail, 'from')))), target_issue_id) as right_issue_id
from errata_raw.issue_actions
where
    action in ('unmerge', 'split', 'distinct')
    and right_issue_id != 0
order by left_issue_id, right_issue_id
