-- mappings_since
-- purpose: what was entered into a project's log of mappings since a moment: whether it concerns an issue
-- parameters: since, limit
-- returns: one row per entry, at most as many as asked for: variant_hash, issue_id
-- inputs:  errata_raw.variant_issues

select
    variant_hash,
    issue_id
from errata_raw.variant_issues
where recorded_at >= {since:DateTime64(3, 'UTC')}
limit {limit:UInt32}
