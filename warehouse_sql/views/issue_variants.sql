-- errata_read.issue_variants
-- purpose: the variants of every issue as people and pipelines have put them together by now: merges show at once
-- returns: one row per variant: issue_id, own_issue_id (before merges), is_merged (from another issue), is_placed (by a
--   person), and what the variant looks like
-- inputs:  errata_raw.variant_assignments, errata_raw.variants

create or replace view errata_read.issue_variants
sql security invoker
as
with looks as (
    -- Two ingest nodes may have recorded it at the same time.
    select
        project_id,
        variant_hash,
        argMin(variants.type, variants.precedence) as type,
        argMin(variants.title, variants.precedence) as title,
        argMin(variants.culprit, variants.precedence) as culprit,
        argMin(variants.level, variants.precedence) as level,
        argMin(variants.platform, variants.precedence) as platform
    from errata_raw.variants as variants
    group by project_id, variant_hash
)

select
    assigned.project_id as project_id,
    assigned.variant_hash as variant_hash,
    assigned.issue_id as issue_id,
    assigned.own_issue_id as own_issue_id,
    assigned.is_merged as is_merged,
    assigned.is_placed as is_placed,
    assigned.first_seen_at as first_seen_at,
    looks.type as type,
    looks.title as title,
    looks.culprit as culprit,
    looks.level as level,
    looks.platform as platform
from errata_raw.variant_assignments as assigned final
left join looks on assigned.project_id = looks.project_id and assigned.variant_hash = looks.variant_hash
