-- issue_history
-- purpose: when an issue happened: its events by step of the period and environment, for the chart of its page
-- parameters: project_id, issue_id, since, by_hour, bucket_seconds, bucket_count
-- returns: one row per environment: event_counts (one number a step), event_count
-- inputs:  errata_read.variant_counts, errata_read.issue_variants

with buckets as (
    select
        environment,
        sumMap(
            [least(
                intDiv(toInt64(bucket_at) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
                {bucket_count:UInt16} - 1
            )],
            [counts.event_count]
        ) as counted,
        sum(counts.event_count) as event_count
    from errata_read.variant_counts(
        projects = [{project_id:UInt32}], since = {since:DateTime('UTC')}, by_hour = {by_hour:Bool}
    ) as counts
    where
        variant_hash in (
            select variant_hash
            from errata_read.issue_variants(projects = [{project_id:UInt32}])
            where issue_id = {issue_id:UInt64}
        )
    group by environment
)

select
    environment,
    arrayMap(
        number -> counted.2[indexOf(counted.1, number)],
        range({bucket_count:UInt16})
    ) as event_counts,
    event_count
from buckets
order by event_count desc, environment
settings enable_materialized_cte = 1
