-- purpose: how many pairs are of one issue with itself, have an impossible score, or name an issue that no variant ever belonged to
-- returns: one row: wrong_count

select
    countIf(
        issue_id = other_issue_id
        or not (score between 0 and 1)
        or (project_id, issue_id) not in (select project_id, issue_id from errata_raw.variant_issues)
        or (project_id, other_issue_id) not in (select project_id, issue_id from errata_raw.variant_issues)
    ) as wrong_count
from errata_mart.similar_issues
