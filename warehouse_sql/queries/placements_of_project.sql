-- placements_of_project
-- purpose: a stretch of a project's variants with all that another configuration needs to map them, and tell what changes
-- parameters: project_id, configuration, after (a variant's hash: the last of the stretch before), limit
-- returns: one row per variant: its issue now, its own issue, the issue and fingerprint it has under the configuration (0:
--   none yet), its shape, what it looks like, and its events as of the last build
-- inputs:  errata_read.issue_variants, errata_read.variant_issues, errata_read.variants, errata_read.variant_totals

with stretch as materialized (
    select distinct variant_hash
    from errata_read.variant_issues(projects = [{project_id:UInt32}])
    where variant_hash > {after:UInt64}
    order by variant_hash
    limit {limit:UInt32}
),

mapped as (
    select
        variant_hash,
        argMax(issue_id, (authority, recorded_at)) as mapped_to,
        argMax(fingerprint_hash, (authority, recorded_at)) as mapped_fingerprint
    from errata_read.variant_issues(projects = [{project_id:UInt32}])
    where
        variant_hash in (select variant_hash from stretch)
        and configuration = {configuration:UInt32}
        and authority < 2
    group by variant_hash
),

shapes as (
    select
        variant_hash,
        argMin(shape, first_seen_at) as shape
    from errata_read.variants(projects = [{project_id:UInt32}])
    where variant_hash in (select variant_hash from stretch)
    group by variant_hash
),

totals as (
    select
        variant_hash,
        sum(totals.event_count) as event_count
    from errata_read.variant_totals(projects = [{project_id:UInt32}]) as totals
    where
        period = 'all'
        and variant_hash in (select variant_hash from stretch)
        and built_through = (select max(built_through) from errata_read.variant_totals(projects = [{project_id:UInt32}]))
    group by variant_hash
)

select
    variants.variant_hash as variant_hash,
    variants.issue_id as issue_id,
    variants.own_issue_id as own_issue_id,
    variants.is_placed as is_placed,
    variants.title as title,
    variants.culprit as culprit,
    toUnixTimestamp64Milli(variants.first_seen_at) as first_seen_ms,
    mapped.mapped_to as mapped_to,
    mapped.mapped_fingerprint as mapped_fingerprint,
    shapes.shape as shape,
    totals.event_count as event_count
from errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants
left join mapped on variants.variant_hash = mapped.variant_hash
left join shapes on variants.variant_hash = shapes.variant_hash
left join totals on variants.variant_hash = totals.variant_hash
where variants.variant_hash in (select variant_hash from stretch)
order by variant_hash
settings enable_materialized_cte = 1
