-- totals_of_issue
-- purpose: events of an issue in standard periods and of all time, by environment, as of the last build
-- parameters: spans (periods with their starts)
-- names:   is_own
-- returns: one row per period and environment, and one (is_whole) of all environments together: event_count; events by step,
--   first and last seen, releases
-- inputs:  errata_mart.variant_totals

select
    period,
    environment,
    grouping(environment) as is_whole,
    sum(totals.event_count) as event_count,
    sumForEach(bucket_counts) as event_counts,
    minIf(first_occurred_at, totals.event_count > 0) as first_seen,
    max(last_occurred_at) as last_seen,
    argMinIf(totals.first_release, first_occurred_at, totals.first_release != '') as first_release,
    argMaxIf(totals.last_release, last_occurred_at, totals.last_release != '') as last_release
from errata_mart.variant_totals as totals
where
    (${is_own})
    and (period, since) in {spans:Array(Tuple(String, DateTime('UTC')))}
group by grouping sets ((period, environment), (period))
