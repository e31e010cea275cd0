-- state_of_issue
-- purpose: what holds of one issue by people's decisions
-- parameters: issue_id
-- returns: no row where nobody decided anything, else one
-- inputs:  errata_read.issue_states

select
    status,
    state,
    acted_at,
    actor,
    resolution,
    release,
    until,
    condition,
    return_detail,
    assignee,
    chosen_priority
from errata_read.issue_states
where issue_id = {issue_id:UInt64}
