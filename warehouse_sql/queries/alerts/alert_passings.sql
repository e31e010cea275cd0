-- purpose: when the events of an issue in an hour of receipt passed a limit
-- parameters: since, until, issues, hours, limits (three lists of the same length; the condition put in has
--   parameters of its own)
-- returns: one row per issue and hour that passed it: at (receipt of the event over the limit), value (events of the hour)

with variants as materialized (
    select
        variant_hash,
        issue_id
    from errata_read.issue_variants
    where issue_id in {issues:Array(UInt64)}
),

wanted as (
    select
        each.1 as issue_id,
        each.2 as hour,
        each.3 as event_limit
    from (
        select arrayJoin(
            arrayZip({issues:Array(UInt64)}, {hours:Array(UInt32)}, {limits:Array(UInt32)})
        ) as each
    )
),

near as materialized (
    select distinct
        events.variant_hash as variant_hash,
        events.item_id as item_id
    from errata_raw.error_events as events
    inner join variants on events.variant_hash = variants.variant_hash
    where
        events.received_at >= {since:DateTime64(3, 'UTC')}
        and events.received_at < {until:DateTime64(3, 'UTC')}
        and (variants.issue_id, intDiv(toUnixTimestamp(events.received_at), 3600)) in (select issue_id, hour from wanted)
        and (${event_condition})
),

arrived as (
    -- Among copies of an event, the one received first counts, even if in another hour.
    select
        events.variant_hash as variant_hash,
        events.item_id as item_id,
        min(events.received_at) as at
    from errata_raw.error_events as events
    where
        events.received_at >= {since:DateTime64(3, 'UTC')}
        and events.received_at < {until:DateTime64(3, 'UTC')}
        and events.variant_hash in (select variant_hash from variants)
        and (events.variant_hash, events.item_id) in (select variant_hash, item_id from near)
        and (${event_condition})
    group by variant_hash, item_id
)

select
    variants.issue_id as issue_id,
    intDiv(toUnixTimestamp(arrived.at), 3600) as hour,
    arrayElement(arraySort(groupArray(arrived.at)), any(wanted.event_limit) + 1) as at,
    count() as value
from arrived
inner join variants on arrived.variant_hash = variants.variant_hash
inner join wanted
    on variants.issue_id = wanted.issue_id
    and intDiv(toUnixTimestamp(arrived.at), 3600) = wanted.hour
group by issue_id, hour
having value > any(wanted.event_limit)
order by at, issue_id
settings enable_materialized_cte = 1
