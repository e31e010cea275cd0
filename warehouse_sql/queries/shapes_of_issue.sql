-- shapes_of_issue
-- purpose: the variants of an issue with what grouping reads of each, the newest first
-- parameters: project_id, issue_id
-- returns: one row per variant: its shape, JSON, empty past the newest 20
-- inputs:  errata_read.issue_variants, errata_read.variants

with own as materialized (
    select
        variant_hash,
        row_number() over (order by first_seen_at desc, variant_hash) as place
    from errata_read.issue_variants(projects = [{project_id:UInt32}])
    where issue_id = {issue_id:UInt64}
)

select
    own.variant_hash as variant_hash,
    any(looks.shape) as shape
from own
left join (
    select
        variant_hash,
        shape
    from errata_read.variants(projects = [{project_id:UInt32}])
    where variant_hash in (select variant_hash from own where place <= 20)
) as looks
    on own.variant_hash = looks.variant_hash
group by own.variant_hash
settings enable_materialized_cte = 1
