-- grouping_of_issue
-- purpose: why an issue is what it is: its variants, the most frequent first, with the reason each is here
-- parameters: project_id, issue_id, limit
-- returns: one row per variant: counts and sights of all time, own issue, whether a person placed it, who and why,
--   its exemplar and shape, and the number of all variants
-- inputs:  errata_read.issue_variants, errata_read.variant_counts, errata_read.variant_issues, errata_read.variants

with own as materialized (
    select *
    from errata_read.issue_variants(projects = [{project_id:UInt32}])
    where issue_id = {issue_id:UInt64}
),

counted as (
    select
        variant_hash,
        sum(counts.event_count) as event_count,
        max(last_occurred_at) as last_seen
    from errata_read.variant_counts(
        projects = [{project_id:UInt32}], since = toDateTime(0, 'UTC'), by_hour = false
    ) as counts
    where variant_hash in (select variant_hash from own)
    group by variant_hash
),

chosen as materialized (
    select
        own.variant_hash as variant_hash,
        own.own_issue_id as own_issue_id,
        own.is_placed as is_placed,
        own.first_seen_at as first_seen,
        own.title as title,
        own.culprit as culprit,
        counted.event_count as event_count,
        if(counted.event_count = 0, own.first_seen_at, counted.last_seen) as last_seen,
        count() over () as variant_count
    from own
    left join counted on own.variant_hash = counted.variant_hash
    order by event_count desc, variant_hash
    limit {limit:UInt16}
),

reasons as (
    select
        variant_hash,
        argMaxIf((explanation, actor, recorded_at), recorded_at, authority = 2) as placed
    from errata_read.variant_issues(projects = [{project_id:UInt32}])
    where variant_hash in (select variant_hash from chosen)
    group by variant_hash
),

shapes as (
    select
        variant_hash,
        argMin((shape, exemplar_id), first_seen_at) as seen
    from errata_read.variants(projects = [{project_id:UInt32}])
    where variant_hash in (select variant_hash from chosen)
    group by variant_hash
)

select
    chosen.variant_hash as variant_hash,
    chosen.own_issue_id as own_issue_id,
    chosen.is_placed as is_placed,
    chosen.first_seen as first_seen,
    chosen.last_seen as last_seen,
    chosen.title as title,
    chosen.culprit as culprit,
    chosen.event_count as event_count,
    chosen.variant_count as variant_count,
    reasons.placed.1 as placed_because,
    reasons.placed.2 as placed_by,
    reasons.placed.3 as placed_at,
    shapes.seen.1 as shape,
    shapes.seen.2 as exemplar_id
from chosen
left join reasons on chosen.variant_hash = reasons.variant_hash
left join shapes on chosen.variant_hash = shapes.variant_hash
order by event_count desc, variant_hash
settings enable_materialized_cte = 1
