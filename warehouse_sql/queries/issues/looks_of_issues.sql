-- purpose: what issues look like: like the variant that was recorded first, before all that were merged into them
-- returns: one row per issue: title, culprit, type, level, platform

with leading as (
    select
        issue_id,
        argMin(variant_hash, (is_merged, first_seen_at)) as variant_hash
    from errata_raw.variant_assignments final
    where issue_id in {issue_ids:Array(UInt64)}
    group by issue_id
)

select
    leading.issue_id as issue_id,
    -- Two ingest nodes may have recorded it at the same time.
    argMin(variants.title, variants.precedence) as title,
    argMin(variants.culprit, variants.precedence) as culprit,
    argMin(variants.type, variants.precedence)::String as type,
    argMin(variants.level, variants.precedence)::String as level,
    argMin(variants.platform, variants.precedence)::String as platform
from errata_raw.variants as variants
inner join leading on variants.variant_hash = leading.variant_hash
group by issue_id
