-- purpose: the latest sessions of a user that SDKs reported one by one, and how each ended
-- definition: Sessions that SDKs reported one by one for this user, the latest first.
-- parameters: user_hash, since, until, environment, release (both empty: all), limit
-- returns: one row per session, latest first: session_id, started_at, status (crashed if any state says so, else the last), error_count,
--   duration_ms (nan: not sent), release, environment

select
    session_id,
    min(sessions.started_at) as started_at,
    if(max(sessions.status = 'crashed'), 'crashed', argMax(sessions.status, occurred_at)::String) as status,
    max(sessions.error_count) as error_count,
    -- Without a matching row, argMaxIf is 0.
    if(
        countIf(not isNaN(sessions.duration_ms)) = 0,
        nan,
        argMaxIf(sessions.duration_ms, occurred_at, not isNaN(sessions.duration_ms))
    ) as duration_ms,
    argMax(sessions.release, occurred_at)::String as release,
    argMax(sessions.environment, occurred_at)::String as environment
from errata_raw.sessions as sessions
where
    user_hash = {user_hash:UInt64}
    and occurred_at >= {since:DateTime('UTC')}
    and occurred_at < {until:DateTime64(3, 'UTC')}
    and session_id != toUUID('00000000-0000-0000-0000-000000000000')
    and ({environment:String} = '' or sessions.environment = {environment:String})
    and ({release:String} = '' or sessions.release = {release:String})
group by session_id
order by started_at desc, session_id
limit {limit:UInt16}
