-- purpose: which priorities people set, and when
-- returns: one row per decision: issue_id, acted_at, priority (empty: as computed again), in their order

select
    issue_id,
    acted_at,
    if(action = 'prioritize', JSONExtractString(detail, 'priority'), '') as priority
from errata_read.actions_in_force
where action in ('prioritize', 'delete')
order by issue_id, acted_at, action_id
