-- mappings_since
-- purpose: what was entered into a project's log of mappings since a moment: whether it concerns an issue
-- parameters: project_id, since, limit
-- returns: one row per entry, at most as many as asked for: variant_hash, issue_id
-- inputs:  errata_read.variant_issues

select
    variant_hash,
    issue_id
from errata_read.variant_issues(projects = [{project_id:UInt32}])
where recorded_at >= {since:DateTime64(3, 'UTC')}
limit {limit:UInt32}
