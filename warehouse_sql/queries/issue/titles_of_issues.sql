-- purpose: what a few issues are called, each by itself, before merges
-- returns: one row per issue that has variants of its own or as a whole: issue_id, title, culprit, variant_count

select
    id as issue_id,
    argMin(title, (own_issue_id != id, first_seen_at)) as title,
    argMin(culprit, (own_issue_id != id, first_seen_at)) as culprit,
    count() as variant_count
from errata_read.issue_variants
array join arrayDistinct([issue_id, own_issue_id]) as id
where id in {issue_ids:Array(UInt64)}
group by id
