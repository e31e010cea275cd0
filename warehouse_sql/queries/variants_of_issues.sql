-- purpose: what belongs to these issues at the moment, and by whose word
-- returns: one row per variant: issue_id, own_issue_id (before merges), is_placed (by a person)

select
    variant_hash,
    issue_id,
    own_issue_id,
    is_placed
-- Decisions read the logs: a process may have ended before it wrote the assignments.
from errata_read.assignments_by_log(
    projects = [], is_chosen = false, variants = [], issues = []
)
where issue_id in {issue_ids:Array(UInt64)}
order by issue_id, variant_hash
