-- purpose: the issues that may have had many events in some window: only they are looked at event by event
-- definition: Issues with so many events in a short time that the rule may have fired; only their events are examined one by one.
-- parameters: since, until, least, step_ms (of the steps that time is divided into), first_step (before it nothing is
--   judged), is_sliding (a window of that length may begin within a step), of_users (the condition put in has parameters of its own)
-- returns: one row per issue with more than least in a step, or in two that follow each other: first_busy_step and
--   last_busy_step (numbers since 1970) in which a window may end, and event_count (of all the time, copies included)

with variants as materialized (
    select
        variant_hash,
        issue_id
    from errata_read.issue_variants
),

counted as (
    -- Copies can only raise the count, so no issue is missed.
    select
        variants.issue_id as issue_id,
        intDiv(toUnixTimestamp64Milli(events.received_at), {step_ms:UInt32}) as step,
        count() as event_count
    from errata_raw.error_events as events
    inner join variants on events.variant_hash = variants.variant_hash
    where
        events.received_at >= {since:DateTime64(3, 'UTC')}
        and events.received_at < {until:DateTime64(3, 'UTC')}
        and (not {of_users:Bool} or events.user_hash != 0)
        and (${event_condition})
    group by issue_id, step
),

windows as (
    select
        issue_id,
        step_of.1 as ends_in,
        sum(step_of.2) as window_count,
        sum(step_of.3) as own_count
    from (
        select
            issue_id,
            arrayJoin(if(
                {is_sliding:Bool},
                [(step, event_count, event_count), (step + 1, event_count, 0)],
                [(step, event_count, event_count)]
            )) as step_of
        from counted
    )
    group by issue_id, ends_in
)

select
    issue_id,
    minIf(ends_in, is_busy) as first_busy_step,
    maxIf(ends_in, is_busy) as last_busy_step,
    sum(own_count) as event_count
from (
    select
        *,
        ends_in >= {first_step:Int64} and window_count > {least:Int64} as is_busy
    from windows
)
group by issue_id
having countIf(is_busy) > 0
settings enable_materialized_cte = 1
