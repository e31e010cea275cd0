-- alert_events_crossings
-- purpose: when the events of an issue, or of all together, in a window of ticks passed a number: upwards only
-- parameters: project_id, read_since (a window and a tick before the first tick), until, over, window_ticks, tick_ms, first_tick,
--   by_issue (the condition put in has parameters of its own)
-- returns: one row per crossing: issue_id (0: all together), tick, value (events in the window)
-- inputs:  errata_read.error_events, errata_read.issue_variants

with variants as materialized (
    select
        variant_hash,
        issue_id
    from errata_read.issue_variants(projects = [{project_id:UInt32}])
),

arrived as materialized (
    -- Of copies of an event the one received first counts.
    select
        events.variant_hash as variant_hash,
        events.occurred_at as occurred_at,
        events.item_id as item_id,
        min(events.received_at) as at,
        any(events.user_hash) as user_hash
    from errata_read.error_events(projects = [{project_id:UInt32}]) as events
    where
        events.received_at >= {read_since:DateTime64(3, 'UTC')}
        and events.received_at < {until:DateTime64(3, 'UTC')}
        and (${event_condition})
    group by variant_hash, occurred_at, item_id
),

repeated as (
    -- Only what occurred before the span can have been received before it.
    select
        events.variant_hash as variant_hash,
        events.item_id as item_id
    from errata_read.error_events(projects = [{project_id:UInt32}]) as events
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

placed as (
    select
        if({by_issue:Bool}, variants.issue_id, 0) as issue_id,
        intDiv(toUnixTimestamp64Milli(arrived.at), {tick_ms:UInt32}) as tick,
        count() as event_count
    from arrived
    inner join variants on arrived.variant_hash = variants.variant_hash
    where (arrived.variant_hash, arrived.item_id) not in (select variant_hash, item_id from repeated)
    group by issue_id, tick
),

steps as (
    -- Each event counts from its tick on, until its window has passed.
    select
        issue_id,
        step.1 as tick,
        sum(step.2) as change
    from (
        select
            issue_id,
            arrayJoin([
                (toInt64(placed.tick), toInt64(event_count)),
                (toInt64(placed.tick) + {window_ticks:UInt32}, -toInt64(event_count))
            ]) as step
        from placed
    )
    group by issue_id, tick
),

running as (
    select
        issue_id,
        tick,
        change,
        sum(change) over (partition by issue_id order by tick) as value
    from steps
)

select
    issue_id,
    tick,
    value
from running
where
    tick >= {first_tick:Int64}
    and value > {over:Int64}
    and value - change <= {over:Int64}
order by tick, issue_id
settings enable_materialized_cte = 1
