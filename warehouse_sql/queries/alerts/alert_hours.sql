-- purpose: events of issues by hour of receipt
-- parameters: since (an hour), until, issue_ids (the condition put in has parameters of its own)
-- returns: one row per issue: hours (numbers since 1970) and their event_counts

with variants as materialized (
    select
        variant_hash,
        issue_id
    from errata_read.issue_variants
    where issue_id in {issue_ids:Array(UInt64)}
),

arrived as (
    -- Among copies of an event, the one received first counts.
    select
        events.variant_hash as variant_hash,
        events.item_id as item_id,
        min(events.received_at) as at
    from errata_raw.error_events as events
    where
        events.received_at >= {since:DateTime64(3, 'UTC')}
        and events.received_at < {until:DateTime64(3, 'UTC')}
        and events.variant_hash in (select variant_hash from variants)
        and (${event_condition})
    group by variant_hash, item_id
),

hourly as (
    select
        variants.issue_id as issue_id,
        intDiv(toUnixTimestamp(arrived.at), 3600) as hour,
        count() as event_count
    from arrived
    inner join variants on arrived.variant_hash = variants.variant_hash
    group by issue_id, hour
)

select
    issue_id,
    groupArray(hour) as hours,
    groupArray(event_count) as event_counts
from hourly
group by issue_id
settings enable_materialized_cte = 1
