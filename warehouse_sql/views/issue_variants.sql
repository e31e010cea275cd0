-- errata_read.issue_variants
-- purpose: the variants of every issue as people and pipelines have put them together by now: merges show at once
-- parameters: projects
-- returns: one row per variant: issue_id, is_merged (from another issue), and what the variant looks like
-- inputs:  errata_raw.variants, errata_raw.variant_issues, errata_raw.issue_actions

create or replace view errata_read.issue_variants
definer = errata_admin sql security definer
as
with decided as (
    select
        project_id,
        variant_hash,
        argMax(issue_id, (authority, recorded_at)) as issue_id
    from errata_raw.variant_issues
    where project_id in {projects:Array(UInt32)}
    group by project_id, variant_hash
),

merges as (
    select
        project_id,
        issue_id,
        argMax(if(action = 'merge', issue_actions.target_issue_id, 0), acted_at) as target_issue_id
    from errata_raw.issue_actions as issue_actions
    where
        project_id in {projects:Array(UInt32)}
        and action in ('merge', 'unmerge')
    group by project_id, issue_id
    having target_issue_id != 0
),

looks as (
    -- Two ingest nodes may have met it at the same time.
    select
        project_id,
        variant_hash,
        min(variants.first_seen_at) as first_seen_at,
        argMin(variants.type, variants.first_seen_at) as type,
        argMin(variants.title, variants.first_seen_at) as title,
        argMin(variants.culprit, variants.first_seen_at) as culprit,
        argMin(variants.level, variants.first_seen_at) as level,
        argMin(variants.platform, variants.first_seen_at) as platform
    from errata_raw.variants as variants
    where project_id in {projects:Array(UInt32)}
    group by project_id, variant_hash
)

select
    decided.project_id as project_id,
    decided.variant_hash as variant_hash,
    multiIf(
        onward.target_issue_id != 0, onward.target_issue_id,
        direct.target_issue_id != 0, direct.target_issue_id,
        decided.issue_id
    ) as issue_id,
    direct.target_issue_id != 0 as is_merged,
    looks.first_seen_at as first_seen_at,
    looks.type as type,
    looks.title as title,
    looks.culprit as culprit,
    looks.level as level,
    looks.platform as platform
from decided
left join looks on decided.project_id = looks.project_id and decided.variant_hash = looks.variant_hash
left join merges as direct on decided.project_id = direct.project_id and decided.issue_id = direct.issue_id
left join merges as onward on direct.project_id = onward.project_id and direct.target_issue_id = onward.issue_id
