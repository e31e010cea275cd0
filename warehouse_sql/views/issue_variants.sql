-- errata_read.issue_variants
-- purpose: the variants of every issue as people and pipelines have put them together by now: merges show at once
-- returns: one row per variant: issue_id, own_issue_id (before merges), is_merged (from another issue), is_placed (by a
--   person), and what the variant looks like
-- inputs:  errata_raw.variants, errata_raw.variant_issues, errata_raw.grouping_switches, errata_raw.issue_actions

create or replace view errata_read.issue_variants
sql security invoker
as
with switches as (
    select
        project_id,
        argMax(switches.configuration, switched_at) as configuration
    from errata_raw.grouping_switches as switches
    group by project_id
),

decided as (
    select
        mapped.project_id as project_id,
        mapped.variant_hash as variant_hash,
        -- 0: nobody, or given back to the rules.
        argMaxIf(mapped.issue_id, mapped.recorded_at, mapped.authority = 2) as placed_in,
        -- A variant that the configuration in force has not mapped yet stays where it was mapped last.
        argMaxIf(
            mapped.issue_id,
            (
                mapped.configuration = if(switches.configuration = 0, 1, switches.configuration),
                mapped.authority,
                mapped.recorded_at
            ),
            mapped.authority < 2
        ) as mapped_to,
        if(placed_in != 0, placed_in, mapped_to) as own_issue_id
    from errata_raw.variant_issues as mapped
    left join switches on mapped.project_id = switches.project_id
    group by project_id, variant_hash
),

merges as (
    -- Whoever decides appends the end of every chain it changes: one step leads there.
    select
        project_id,
        issue_id,
        argMax(if(action = 'unmerge', 0, issue_actions.target_issue_id), acted_at) as whole_issue_id
    from errata_raw.issue_actions as issue_actions
    where action in ('merge', 'unmerge', 'join', 'follow')
    group by project_id, issue_id
    having whole_issue_id not in (0, issue_id)
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
    group by project_id, variant_hash
)

select
    decided.project_id as project_id,
    decided.variant_hash as variant_hash,
    if(merges.whole_issue_id != 0, merges.whole_issue_id, decided.own_issue_id) as issue_id,
    decided.own_issue_id as own_issue_id,
    merges.whole_issue_id != 0 as is_merged,
    decided.placed_in != 0 as is_placed,
    looks.first_seen_at as first_seen_at,
    looks.type as type,
    looks.title as title,
    looks.culprit as culprit,
    looks.level as level,
    looks.platform as platform
from decided
left join looks on decided.project_id = looks.project_id and decided.variant_hash = looks.variant_hash
left join merges on decided.project_id = merges.project_id and decided.own_issue_id = merges.issue_id
