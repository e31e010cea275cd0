-- purpose: the issues that variants count in
-- returns: one row per issue: issue_id

select distinct arrayJoin([issue_id, own_issue_id]) as issue_id
from errata_raw.variant_assignments final
where
    project_id = {project_id:UInt32}
    and variant_hash in {variants:Array(UInt64)}
order by issue_id
