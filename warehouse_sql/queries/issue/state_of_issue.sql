-- purpose: what holds of one issue by people's decisions
-- returns: no row where nobody decided anything, else one

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
