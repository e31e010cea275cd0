-- purpose: issues whose stored state is not what the log says: a process ended between its entry of the log and what it wrote from it
-- parameters: projects (none: all)
-- returns: one row per project with any: project_id, amiss_count

with compared as (
    select
        project_id,
        issue_id,
        (
            state::String, acted_at, actor::String, action_id, resolution::String, release, until, condition,
            returned_at, return_detail, assignee::String, chosen_priority::String, deleted_at, version
        ) as said
    from errata_read.states_by_log(
        projects = {projects:Array(UInt32)}, issues = []
    )
    union all
    select
        project_id,
        issue_id,
        (
            state::String, acted_at, actor::String, action_id, resolution::String, release, until, condition,
            returned_at, return_detail, assignee::String, chosen_priority::String, deleted_at, version
        ) as said
    from errata_raw.issue_states final
    where empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)}
)

select
    project_id,
    count() as amiss_count
from (
    select
        project_id,
        issue_id
    from compared
    group by project_id, issue_id
    having count() != 2 or uniqExact(said) != 1
)
group by project_id
order by project_id
