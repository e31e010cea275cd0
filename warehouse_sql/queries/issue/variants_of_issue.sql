-- purpose: the variants of one issue by now, and what they look like
-- parameters: issue_id (a whole issue)
-- returns: one row per variant: own_issue_id, is_merged, is_placed, first_seen_at, type, title, culprit, level, platform, cut_at (events
--   received before it were deleted with an issue; 1970: none). The one first that gives the issue its title

with looks as (
    -- Two ingest nodes may have recorded it at the same time.
    select
        variant_hash,
        argMin(variants.type, variants.precedence)::String as type,
        argMin(variants.title, variants.precedence) as title,
        argMin(variants.culprit, variants.precedence) as culprit,
        argMin(variants.level, variants.precedence)::String as level,
        argMin(variants.platform, variants.precedence)::String as platform
    from errata_raw.variants as variants
    where
        variant_hash in (
            select variant_hash
            from errata_raw.variant_assignments final
            where issue_id = {issue_id:UInt64}
        )
    group by variant_hash
)

select
    assigned.variant_hash as variant_hash,
    own_issue_id,
    is_merged,
    is_placed,
    first_seen_at,
    type,
    title,
    culprit,
    level,
    platform,
    cut_at
from errata_raw.variant_assignments as assigned final
left join looks on assigned.variant_hash = looks.variant_hash
where issue_id = {issue_id:UInt64}
order by is_merged, first_seen_at, variant_hash
