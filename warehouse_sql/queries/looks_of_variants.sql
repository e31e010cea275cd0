-- looks_of_variants
-- purpose: what issues look like that no build has seen yet, by variants of theirs
-- parameters: project_id, variant_hashes
-- returns: one row per issue
-- inputs:  errata_read.issue_variants

select
    issue_id,
    argMin(variants.title, (is_merged, first_seen_at)) as title,
    argMin(variants.culprit, (is_merged, first_seen_at)) as culprit,
    argMin(variants.type, (is_merged, first_seen_at))::String as type,
    argMin(variants.level, (is_merged, first_seen_at))::String as level,
    argMin(variants.platform, (is_merged, first_seen_at))::String as platform
from errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants
where variant_hash in {variant_hashes:Array(UInt64)}
group by issue_id
