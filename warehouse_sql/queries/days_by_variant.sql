-- days_by_variant
-- purpose: how often each variant of an issue occurred, and when last, counted from days as of this moment
-- names:   is_own
-- returns: one row per variant that occurred: event_count, last_seen
-- inputs:  errata_read.variant_counts

select
    variant_hash,
    sum(counts.event_count) as event_count,
    max(last_occurred_at) as last_seen
from errata_read.variant_counts(
    since = toDateTime(0, 'UTC'), by_hour = false
) as counts
where ${is_own}
group by variant_hash
settings enable_materialized_cte = 1
