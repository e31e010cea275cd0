-- purpose: an issue between two moments: how often, for how many users, when, and its newest event of then
-- definition: Events counts the error events of the issue between the two moments, each once; users counts their distinct users exactly. Users are
--   told apart by the first of ID, email address, name and IP address that the SDK sent; events without any of them have no user.
-- returns: one row: event_count, user_count, newest_event_id (nil: none), lines (environment, events by step)

with events as (
    -- Among copies of an event, the one received first counts; all have the same occurred_at.
    select
        item_id,
        occurred_at,
        environment,
        user_hash
    from errata_raw.error_events
    where
        (${is_own})
        and occurred_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
    order by received_at
    limit 1 by item_id
),

lines as (
    select
        environment,
        count() as event_count,
        uniqExactStateIf(user_hash, user_hash != 0) as users,
        argMax(item_id, (occurred_at, item_id)) as newest_id,
        max((occurred_at, item_id)) as newest_at,
        sumMap(
            [least(
                intDiv(dateDiff('second', {since:DateTime64(3, 'UTC')}, occurred_at), {bucket_seconds:UInt32}),
                {bucket_count:UInt16} - 1
            )],
            [toUInt64(1)]
        ) as counted
    from events
    group by environment
)

select
    sum(lines.event_count) as event_count,
    uniqExactMerge(users) as user_count,
    argMax(newest_id, newest_at) as newest_event_id,
    arraySort(groupArray((
        environment::String,
        arrayMap(number -> counted.2[indexOf(counted.1, number)], range({bucket_count:UInt16}))
    ))) as lines
from lines
