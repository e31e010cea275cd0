-- purpose: what issues are called in an alert
-- returns: one row per issue: title and culprit

select
    issue_id,
    argMin(variants.title, (is_merged, first_seen_at)) as title,
    argMin(variants.culprit, (is_merged, first_seen_at)) as culprit
from errata_read.issue_variants as variants
where issue_id in {issues:Array(UInt64)}
group by issue_id
