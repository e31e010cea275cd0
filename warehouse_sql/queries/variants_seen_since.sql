-- variants_seen_since
-- purpose: the variants that got events since a page of the list was asked for, and the issues that totals place them in
-- parameters: built_through, asked_at, event_count (as recent_events said then)
-- returns: one row per variant: issue_id (0: the totals do not know it)
-- inputs:  errata_read.variants_seen_since

select
    variant_hash,
    issue_id
from errata_read.variants_seen_since(
    built_through = {built_through:DateTime64(3, 'UTC')},
    asked_at = {asked_at:DateTime64(3, 'UTC')},
    event_count = {event_count:UInt64}
)
