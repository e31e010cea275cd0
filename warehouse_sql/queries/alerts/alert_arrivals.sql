-- purpose: which variants had matching events in a span of receipt, and how many: what an alert may be about at all
-- definition: Groups of equal events (variants) that had matching events in the tested period. The rule fires for those whose issue began with them.
-- parameters: since, until, is_whole (variants of any kind), variant_hashes (the condition put in has parameters of its own)
-- returns: one row per variant: first_at (receipt), event_count (copies included: never less than there are)

select
    variant_hash,
    min(received_at) as first_at,
    count() as event_count
from errata_raw.error_events
where
    received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
    and ({is_whole:Bool} or variant_hash in {variant_hashes:Array(UInt64)})
    and (${event_condition})
group by variant_hash
