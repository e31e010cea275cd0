-- purpose: when the events or the identified users of an issue, or of all together, in a window of ticks passed a number:
--   upwards only
-- definition: Moments at which an issue's events or distinct users within the rule's window crossed the rule's threshold.
-- parameters: read_since (a window and a tick before the first tick), until, over, window_ticks, tick_ms, first_tick,
--   of_users, by_issue, is_whole (every issue), issue_ids (the condition put in has parameters of its own)
-- returns: one row per crossing: issue_id (0: all together), tick, value (events or users in the window)

with variants as materialized (
    select
        variant_hash,
        if({by_issue:Bool}, issue_id, 0) as issue_id
    from errata_read.issue_variants
    where {is_whole:Bool} or issue_id in {issue_ids:Array(UInt64)}
),

arrived as materialized (
    -- Among copies of an event, the one received first counts.
    select
        events.variant_hash as variant_hash,
        events.item_id as item_id,
        any(events.occurred_at) as occurred_at,
        min(events.received_at) as at,
        any(events.user_hash) as user_hash
    from errata_raw.error_events as events
    where
        events.received_at >= {read_since:DateTime64(3, 'UTC')}
        and events.received_at < {until:DateTime64(3, 'UTC')}
        and ({is_whole:Bool} or events.variant_hash in (select variant_hash from variants))
        and (not {of_users:Bool} or events.user_hash != 0)
        and (${event_condition})
    group by variant_hash, item_id
),

repeated as (
    -- Only events that occurred before the span can have been received before it.
    select
        events.variant_hash as variant_hash,
        events.item_id as item_id
    from errata_raw.error_events as events
    where
        events.received_at < {read_since:DateTime64(3, 'UTC')}
        and (events.variant_hash, events.occurred_at, events.item_id) in (
            select
                variant_hash,
                occurred_at,
                item_id
            from arrived
            where occurred_at < {read_since:DateTime64(3, 'UTC')}
        )
),

met as (
    -- A user counts once a tick; every event of a tick counts.
    select
        variants.issue_id as issue_id,
        toInt64(intDiv(toUnixTimestamp64Milli(arrived.at), {tick_ms:UInt32})) as tick,
        if({of_users:Bool}, arrived.user_hash, 0) as user_hash,
        if({of_users:Bool}, 1, toInt64(count())) as weight
    from arrived
    inner join variants on arrived.variant_hash = variants.variant_hash
    where (arrived.variant_hash, arrived.item_id) not in (select variant_hash, item_id from repeated)
    group by issue_id, tick, user_hash
),

lives as (
    -- A user counts once within a window.
    select
        issue_id,
        arraySort(groupArray((tick, weight))) as moments,
        arrayMap(moment -> moment.1, moments) as ticks,
        arrayDifference(ticks) as gaps,
        arrayJoin(arrayMap(
            (tick, weight, number, gap, next_gap) -> (
                tick,
                weight * toInt64(not {of_users:Bool} or number = 1 or gap >= {window_ticks:UInt32}),
                weight * toInt64(not {of_users:Bool} or next_gap >= {window_ticks:UInt32})
            ),
            ticks,
            arrayMap(moment -> moment.2, moments),
            arrayEnumerate(ticks),
            gaps,
            arrayShiftLeft(gaps, 1, toInt64(1000000000000))
        )) as life
    from met
    group by issue_id, user_hash
),

steps as (
    -- From its tick on, until its window has passed.
    select
        issue_id,
        step.1 as tick,
        sum(step.2) as change
    from (
        select
            issue_id,
            arrayJoin([(life.1, life.2), (life.1 + {window_ticks:UInt32}, -life.3)]) as step
        from lives
    )
    group by issue_id, tick
),

running as (
    select
        issue_id,
        arraySort(groupArray((tick, change))) as changes,
        arrayCumSum(arrayMap(each -> each.2, changes)) as values,
        arrayJoin(arrayFilter(
            (each, value) -> (
                each.1 >= {first_tick:Int64}
                and value > {over:Int64}
                and value - each.2 <= {over:Int64}
            ),
            arrayZip(arrayMap(each -> each.1, changes), arrayMap(each -> each.2, changes), values),
            values
        )) as crossing
    from steps
    group by issue_id
)

select
    issue_id,
    crossing.1 as tick,
    crossing.3 as value
from running
order by tick, issue_id
settings enable_materialized_cte = 1
