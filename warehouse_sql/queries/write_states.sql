-- purpose: writes the state of issues as the log says by now; of two writers the one that read more of the log wins
-- parameters: projects (none: all), issues (none: all)
-- returns: nothing

insert into errata_raw.issue_states
(
    project_id,
    issue_id,
    state,
    acted_at,
    actor,
    action_id,
    resolution,
    release,
    until,
    condition,
    returned_at,
    return_detail,
    assignee,
    chosen_priority,
    deleted_at,
    version
)
select * except (back)
from errata_read.states_by_log(
    projects = {projects:Array(UInt32)}, issues = {issues:Array(UInt64)}
)
