-- project_of_issue
-- purpose: which of the caller's projects has an issue
-- parameters: issue_id
-- returns: no row for an unknown issue, else one: project_id
-- inputs:  errata_raw.variant_issues

select project_id
from errata_raw.variant_issues
where issue_id = {issue_id:UInt64}
limit 1
