-- purpose: which resolved issues occurred again, and in which releases, as long as they are not marked as regressed
-- returns: one row per issue and release seen since: project_id, issue_id, action_id, resolution and resolved_in (of the
--   resolution), seen_in, last_occurred_at there

with resolutions as materialized (
    select
        project_id,
        issue_id,
        action_id,
        acted_at,
        release,
        resolution
    from errata_read.issue_states
    where
        status = 'resolved'
        -- A regression that a person undid is none.
        and action_id not in (
            select about_action_id
            from errata_raw.issue_actions
            where action = 'regress'
        )
),

resolved as materialized (
    select
        project_id,
        variant_hash,
        issue_id
    from errata_read.issue_variants
    where issue_id in (select issue_id from resolutions)
),

sighted as materialized (
    select
        project_id,
        variant_hash,
        release::String as seen_in,
        max(sightings.last_occurred_at) as last_occurred_at
    from errata_read.release_sightings as sightings
    where (project_id, variant_hash) in (select project_id, variant_hash from resolved)
    group by project_id, variant_hash, seen_in
)

select
    resolved.project_id as project_id,
    resolved.issue_id as issue_id,
    resolutions.action_id as action_id,
    any(resolutions.resolution) as resolution,
    any(resolutions.release) as resolved_in,
    sighted.seen_in as seen_in,
    max(sighted.last_occurred_at) as last_occurred_at
from sighted
inner join resolved on sighted.project_id = resolved.project_id and sighted.variant_hash = resolved.variant_hash
inner join resolutions
    on resolved.project_id = resolutions.project_id and resolved.issue_id = resolutions.issue_id
where sighted.last_occurred_at > resolutions.acted_at
group by project_id, issue_id, action_id, seen_in
settings enable_materialized_cte = 1
