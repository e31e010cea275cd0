-- purpose: the issues that have no variant but these
-- returns: one row per issue: issue_id

select own_issue_id as issue_id
from errata_raw.variant_assignments final
where project_id = {project_id:UInt32}
group by issue_id
having countIf(not has({variants:Array(UInt64)}, variant_hash)) = 0
order by issue_id
