-- facets_of_project
-- purpose: what a project's issues can be filtered by, and how many events each choice has in the period
-- parameters: project_id, since, by_hour
-- returns: one row per facet (environment, release, level) and value: event_count
-- inputs:  errata_read.variant_counts, errata_read.issue_variants

with counts as (
    select
        variant_hash,
        environment,
        release,
        sum(counted.event_count) as event_count,
        max(last_occurred_at) as last_seen
    from errata_read.variant_counts(
        projects = [{project_id:UInt32}], since = {since:DateTime('UTC')}, by_hour = {by_hour:Bool}
    ) as counted
    group by variant_hash, environment, release
),

faceted as (
    select
        arrayJoin([
            ('environment', counts.environment::String),
            ('release', counts.release::String),
            ('level', variants.level::String)
        ]) as pair,
        counts.event_count as event_count,
        counts.last_seen as last_seen
    from counts
    inner join errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants
        on counts.variant_hash = variants.variant_hash
)

select
    pair.1 as facet,
    pair.2 as value,
    sum(faceted.event_count) as event_count
from faceted
where value != ''
group by facet, value
order by facet, max(faceted.last_seen) desc, value
settings enable_materialized_cte = 1
