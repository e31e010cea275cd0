-- purpose: which of the caller's projects has an issue
-- returns: no row for an unknown issue, else one: project_id

select project_id
from errata_raw.variant_issues
where issue_id = {issue_id:UInt64}
limit 1
