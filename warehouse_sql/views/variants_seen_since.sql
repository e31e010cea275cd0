-- errata_read.variants_seen_since
-- purpose: the variants that got events since a page of the list was asked for, and the issues that totals place them in
-- parameters: built_through, asked_at, event_count (as recent_events said then)
-- returns: one row per variant: issue_id (0: the totals do not know it)
-- inputs:  errata_mart.issue_totals, errata_raw.error_events

create or replace view errata_read.variants_seen_since
sql security invoker
as
with recent as (
    select
        variant_hash,
        max(received_at) as last_received_at,
        countIf(received_at < {asked_at:DateTime64(3, 'UTC')}) as early_count
    from errata_raw.error_events
    where received_at >= {asked_at:DateTime64(3, 'UTC')} - interval 20 second
    group by variant_hash
),

known as (
    select
        issue_id,
        arrayJoin(variant_hashes) as variant_hash
    from errata_mart.issue_totals
    where
        period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
)

select
    recent.variant_hash as variant_hash,
    known.issue_id as issue_id
from (
    select
        variant_hash,
        last_received_at,
        sum(early_count) over () as seen_count
    from recent
) as recent
left join known on recent.variant_hash = known.variant_hash
where
    recent.last_received_at >= {asked_at:DateTime64(3, 'UTC')}
    -- Something received before it came into sight after it: whatever was received by then may have.
    or recent.seen_count != {event_count:UInt64}
