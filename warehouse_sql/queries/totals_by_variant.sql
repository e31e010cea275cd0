-- totals_by_variant
-- purpose: how often each variant of an issue occurred, and when last, as of the last build
-- names:   is_own
-- returns: one row per variant: event_count, last_seen
-- inputs:  errata_mart.variant_totals

select
    variant_hash,
    sum(totals.event_count) as event_count,
    max(last_occurred_at) as last_seen
from errata_mart.variant_totals as totals
where
    (${is_own})
    and period = 'all'
group by variant_hash
