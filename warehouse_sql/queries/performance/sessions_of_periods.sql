-- purpose: sessions and their identified users in a period and the one before it, or by step, and how many crashed
-- definition: Crash-free sessions is the share of sessions that did not crash; crash-free users is the share of users without a crashed session. A
--   session belongs to the period in which it began. Users are those whom SDKs named in sessions.
-- parameters: project_id, environment (empty: all), before (start of the period before; the same as since: none), since, until, bucket (period, week, day or hour)
-- returns: one row per period or step with sessions: bucket_start, session_count, crashed_count, user_count, crashed_user_count

with states as (
    -- A client that retries repeats the same state.
    select
        session_id,
        item_id,
        any(status) as status,
        any(session_count) as session_count,
        any(user_hash) as user_hash,
        min(occurred_at) as reached_at
    from errata_raw.sessions
    where
        project_id = {project_id:UInt32}
        and occurred_at >= {before:DateTime64(3, 'UTC')}
        and ({environment:String} = '' or environment = {environment:String})
    group by session_id, item_id
),

sessions as (
    -- A session belongs to the period of its first state.
    select
        if(session_id = toUUID('00000000-0000-0000-0000-000000000000'), item_id, session_id) as id,
        min(reached_at) as began_at,
        max(user_hash) as user_hash,
        ${part:crashes_of_states}
    from states
    group by id
    having began_at < {until:DateTime64(3, 'UTC')}
)

select
    multiIf(
        {bucket:String} = 'week', toDateTime(toStartOfWeek(began_at, 1), 'UTC'),
        {bucket:String} = 'day', toStartOfDay(toDateTime(began_at, 'UTC')),
        {bucket:String} = 'hour', toStartOfHour(toDateTime(began_at, 'UTC')),
        began_at < {since:DateTime64(3, 'UTC')}, toDateTime({before:DateTime64(3, 'UTC')}, 'UTC'),
        toDateTime({since:DateTime64(3, 'UTC')}, 'UTC')
    ) as bucket_start,
    sum(sessions.session_count) as session_count,
    sum(sessions.crashed_count) as crashed_count,
    uniqExactIf(sessions.user_hash, sessions.user_hash != 0) as user_count,
    uniqExactIf(sessions.user_hash, sessions.user_hash != 0 and sessions.crashed_count > 0) as crashed_user_count
from sessions
group by bucket_start
order by bucket_start
