-- days_of_issue
-- purpose: events and users of an issue since a moment, by environment, counted from hours or days as of this moment
-- parameters: since, by_hour, bucket_seconds, bucket_count (0: without steps)
-- names:   is_own
-- returns: as totals_of_issue: one row per environment, and one (is_whole) of all together; none where nothing occurred
-- inputs:  errata_read.variant_counts

select
    environment::String as environment,
    grouping(environment) as is_whole,
    sum(counts.event_count) as event_count,
    uniqMerge(users_state) as user_count,
    sumMap(
        [least(
            intDiv(toInt64(bucket_at) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
            toInt64({bucket_count:UInt16}) - 1
        )],
        [counts.event_count]
    ) as stepped,
    arrayMap(
        number -> stepped.2[indexOf(stepped.1, number)],
        range({bucket_count:UInt16})
    ) as event_counts,
    min(first_occurred_at) as first_seen,
    max(last_occurred_at) as last_seen,
    argMinIf(release::String, first_occurred_at, release != '') as first_release,
    argMaxIf(release::String, last_occurred_at, release != '') as last_release
from errata_read.variant_counts(
    since = {since:DateTime('UTC')}, by_hour = {by_hour:Bool}
) as counts
where ${is_own}
group by grouping sets ((environment), ())
having event_count > 0
settings enable_materialized_cte = 1
