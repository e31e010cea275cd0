-- purpose: what an issue is compared with: its variants, its platforms, and how many events both sides have in the period
-- returns: one row: variants, platforms, issue_events, rest_events (of other issues of these platforms)

with counts as (
    select
        variant_hash,
        sum(counted.event_count) as event_count
    from (
        ${part:variant_counts}
    ) as counted
    where
        bucket_at < {until:DateTime64(3, 'UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
    group by variant_hash
),

by_platform as (
    select
        variants.platform as platform,
        groupArrayIf(variants.variant_hash, variants.issue_id = {issue_id:UInt64}) as hashes,
        sumIf(counts.event_count, variants.issue_id = {issue_id:UInt64}) as issue_count,
        sumIf(counts.event_count, variants.issue_id != {issue_id:UInt64}) as rest_count
    from counts
    inner join errata_read.issue_variants as variants
        on counts.variant_hash = variants.variant_hash
    group by platform
)

select
    arrayFlatten(groupArray(hashes)) as variants,
    groupArrayIf(platform::String, issue_count > 0) as platforms,
    sum(issue_count) as issue_events,
    sumIf(rest_count, issue_count > 0) as rest_events
from by_platform
settings enable_materialized_cte = 1
