-- regressions_of_projects
-- purpose: which resolved issues occurred again, against what they were resolved in, and are not marked as regressed yet
-- parameters: projects
-- returns: one row per issue: project_id, issue_id, action_id (of the resolution), release and last_occurred_at of the latest event
--   that speaks against it
-- inputs:  errata_read.issue_states, errata_read.issue_actions, errata_read.issue_variants, errata_read.release_sightings,
--   errata_read.releases

with resolutions as materialized (
    select
        project_id,
        issue_id,
        action_id,
        acted_at,
        release,
        resolution
    from errata_read.issue_states(projects = {projects:Array(UInt32)})
    where
        status = 'resolved'
        -- A person who took a regression back said that it is none.
        and action_id not in (
            select about_action_id
            from errata_read.issue_actions(projects = {projects:Array(UInt32)})
            where action = 'regress'
        )
),

resolved as (
    select
        variants.project_id as project_id,
        variants.variant_hash as variant_hash,
        resolutions.issue_id as issue_id,
        resolutions.action_id as action_id,
        resolutions.acted_at as acted_at,
        resolutions.release as release,
        resolutions.resolution as resolution
    from errata_read.issue_variants(projects = {projects:Array(UInt32)}) as variants
    inner join resolutions
        on variants.project_id = resolutions.project_id and variants.issue_id = resolutions.issue_id
),

again as materialized (
    select
        resolved.project_id as project_id,
        resolved.issue_id as issue_id,
        resolved.action_id as action_id,
        resolved.release as resolved_in,
        resolved.resolution as resolution,
        sightings.release::String as seen_in,
        sightings.last_occurred_at as occurred_at
    from errata_read.release_sightings(projects = {projects:Array(UInt32)}) as sightings
    inner join resolved
        on sightings.project_id = resolved.project_id and sightings.variant_hash = resolved.variant_hash
    where sightings.last_occurred_at > resolved.acted_at
),

positions as (
    select
        project_id,
        release,
        position
    from errata_read.releases(projects = {projects:Array(UInt32)})
)

select
    again.project_id as project_id,
    again.issue_id as issue_id,
    again.action_id as action_id,
    argMax(again.seen_in, again.occurred_at) as release,
    max(again.occurred_at) as last_occurred_at
from again
left join positions as seen on again.project_id = seen.project_id and again.seen_in = seen.release
left join positions as resolved_at
    on again.project_id = resolved_at.project_id and again.resolved_in = resolved_at.release
where
    -- Of the release it was resolved in or a later one; of any where no release is known.
    again.resolved_in = ''
    or again.seen_in = ''
    or seen.position > resolved_at.position
    or (seen.position = resolved_at.position and again.resolution != 'next')
group by project_id, issue_id, action_id
order by project_id, issue_id
settings enable_materialized_cte = 1
