-- errata_read.issue_states
-- purpose: the state of each issue at this moment: what people last decided, the clock, and what occurred since
-- parameters: projects
-- returns: one row per issue somebody decided about: status (unresolved, resolved, regressed, ignored), the decision as in
--   issue_decisions, and regressed_at (the latest event that speaks against the resolution; 1970: none)
-- inputs:  errata_read.issue_decisions, errata_read.issue_variants, errata_read.release_sightings, errata_read.releases

create or replace view errata_read.issue_states
definer = errata_admin sql security definer
as
with decisions as materialized (
    select *
    from errata_read.issue_decisions(projects = {projects:Array(UInt32)})
),

resolved as materialized (
    -- The variants of what is resolved.
    select
        variants.project_id as project_id,
        variants.variant_hash as variant_hash,
        decisions.issue_id as issue_id,
        decisions.acted_at as acted_at,
        decisions.release as release,
        decisions.resolution as resolution
    from errata_read.issue_variants(projects = {projects:Array(UInt32)}) as variants
    inner join decisions
        on variants.project_id = decisions.project_id and variants.issue_id = decisions.issue_id
    where decisions.state = 'resolve'
),

positions as materialized (
    select
        project_id,
        release,
        position
    from errata_read.releases(projects = {projects:Array(UInt32)})
    where exists (select 1 from resolved where release != '')
),

regressions as (
    -- Events that occurred since: of the release it was resolved in or a later one; of any where no release is known.
    select
        resolved.project_id as project_id,
        resolved.issue_id as issue_id,
        max(sightings.last_occurred_at) as regressed_at
    from errata_read.release_sightings(projects = {projects:Array(UInt32)}) as sightings
    inner join resolved
        on sightings.project_id = resolved.project_id and sightings.variant_hash = resolved.variant_hash
    left join positions as seen_in
        on sightings.project_id = seen_in.project_id and sightings.release = seen_in.release
    left join positions as resolved_in
        on resolved.project_id = resolved_in.project_id and resolved.release = resolved_in.release
    where
        sightings.last_occurred_at > resolved.acted_at
        and (
            resolved.release = ''
            or sightings.release = ''
            or seen_in.position > resolved_in.position
            or (seen_in.position = resolved_in.position and resolved.resolution != 'next')
        )
    group by project_id, issue_id
)

select
    decisions.project_id as project_id,
    decisions.issue_id as issue_id,
    multiIf(
        decisions.state = 'ignore'
        and (decisions.until = toDateTime64(0, 3, 'UTC') or decisions.until > now64(3)), 'ignored',
        decisions.state = 'resolve'
        and regressions.regressed_at > toDateTime64(0, 3, 'UTC'), 'regressed',
        decisions.state = 'resolve', 'resolved',
        'unresolved'
    ) as status,
    decisions.state as state,
    decisions.acted_at as acted_at,
    decisions.actor as actor,
    decisions.action_id as action_id,
    decisions.resolution as resolution,
    decisions.release as release,
    decisions.until as until,
    decisions.condition as condition,
    decisions.assignee as assignee,
    decisions.chosen_priority as chosen_priority,
    decisions.deleted_at as deleted_at,
    regressions.regressed_at as regressed_at
from decisions
left join regressions
    on decisions.project_id = regressions.project_id and decisions.issue_id = regressions.issue_id
settings enable_materialized_cte = 1
