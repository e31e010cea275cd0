-- errata_read.assignments_by_log
-- purpose: the issue of each variant as the logs say: what errata_raw.variant_assignments is written from and compared with
-- parameters: projects (none: all), is_chosen (only variants named in `variants`, mapped to or deleted with one of `issues`), variants,
--   issues
-- returns: one row per variant, as in errata_raw.variant_assignments. Its version grows with every entry that it depends on
-- inputs:  errata_raw.variants, errata_raw.variant_issues, errata_raw.grouping_switches, errata_raw.issue_actions

create or replace view errata_read.assignments_by_log
sql security invoker
as
with chosen as (
    select arrayJoin({variants:Array(UInt64)}) as variant_hash
    union distinct
    select variant_hash
    from errata_raw.variant_issues
    where
        notEmpty({issues:Array(UInt64)})
        and project_id in {projects:Array(UInt32)}
        and issue_id in {issues:Array(UInt64)}
    union distinct
    select arrayJoin(JSONExtract(detail, 'variants', 'Array(UInt64)')) as variant_hash
    from errata_raw.issue_actions
    where
        project_id in {projects:Array(UInt32)}
        and issue_id in {issues:Array(UInt64)}
        and action = 'delete'
),

switches as (
    select
        project_id,
        argMax(switches.configuration, switched_at) as configuration,
        count() as entry_count
    from errata_raw.grouping_switches as switches
    where empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)}
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
        if(placed_in != 0, placed_in, mapped_to) as own_issue_id,
        count() + any(switches.entry_count) as entry_count
    from errata_raw.variant_issues as mapped
    left join switches on mapped.project_id = switches.project_id
    where
        (empty({projects:Array(UInt32)}) or mapped.project_id in {projects:Array(UInt32)})
        and (not {is_chosen:Bool} or mapped.variant_hash in (select variant_hash from chosen))
    group by project_id, variant_hash
),

merges as (
    -- Whoever decides appends the end of every chain it changes: one step leads there.
    select
        project_id,
        issue_id,
        argMax(if(action = 'unmerge', 0, issue_actions.target_issue_id), acted_at) as whole_issue_id
    from errata_raw.issue_actions as issue_actions
    where
        (empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)})
        and action in ('merge', 'unmerge', 'join', 'follow')
    group by project_id, issue_id
    having whole_issue_id not in (0, issue_id)
),

cuts as (
    select
        project_id,
        arrayJoin(JSONExtract(detail, 'variants', 'Array(UInt64)')) as variant_hash,
        max(acted_at) as cut_at
    from errata_raw.issue_actions
    where
        (empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)})
        and action = 'delete'
        -- As in actions_in_force.
        and action_id not in (
            select about_action_id
            from errata_raw.issue_actions
            where action = 'undo'
        )
    group by project_id, variant_hash
),

decisions as (
    select
        project_id,
        count() as entry_count
    from errata_raw.issue_actions
    where
        (empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)})
        and action in ('merge', 'unmerge', 'join', 'follow', 'delete', 'undo')
    group by project_id
),

records as (
    -- Two ingest nodes may have recorded it at the same time.
    select
        project_id,
        variant_hash,
        min(variants.first_seen_at) as first_seen_at,
        count() as entry_count
    from errata_raw.variants as variants
    where
        (empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)})
        and (not {is_chosen:Bool} or variant_hash in (select variant_hash from chosen))
    group by project_id, variant_hash
)

select
    decided.project_id as project_id,
    decided.variant_hash as variant_hash,
    if(merges.whole_issue_id != 0, merges.whole_issue_id, decided.own_issue_id) as issue_id,
    decided.own_issue_id as own_issue_id,
    merges.whole_issue_id != 0 as is_merged,
    decided.placed_in != 0 as is_placed,
    records.first_seen_at as first_seen_at,
    cuts.cut_at as cut_at,
    decided.entry_count + records.entry_count + decisions.entry_count as version
from decided
left join records on decided.project_id = records.project_id and decided.variant_hash = records.variant_hash
left join merges on decided.project_id = merges.project_id and decided.own_issue_id = merges.issue_id
left join cuts on decided.project_id = cuts.project_id and decided.variant_hash = cuts.variant_hash
left join decisions on decided.project_id = decisions.project_id
