-- purpose: variants whose stored issue is not what the logs say: a process ended between its entry of the log and what it wrote from it
-- parameters: projects (none: all)
-- returns: one row per project with any: project_id, amiss_count

with compared as (
    select
        project_id,
        variant_hash,
        (issue_id, own_issue_id, is_merged, is_placed, first_seen_at, cut_at) as said
    from errata_read.assignments_by_log(
        projects = {projects:Array(UInt32)}, is_chosen = false, variants = [], issues = []
    )
    union all
    select
        project_id,
        variant_hash,
        (issue_id, own_issue_id, is_merged, is_placed, first_seen_at, cut_at) as said
    from errata_raw.variant_assignments final
    where empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)}
)

select
    project_id,
    count() as amiss_count
from (
    select
        project_id,
        variant_hash
    from compared
    group by project_id, variant_hash
    having count() != 2 or uniqExact(said) != 1
)
group by project_id
order by project_id
