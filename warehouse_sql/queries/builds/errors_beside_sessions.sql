-- purpose: error events and sessions of releases and the ones before them, by what makes them alike: their user and their time
-- parameters: project_id, environment, numbers, releases, is_after, sinces_ms, untils_ms (unix ms), shares (a value for each side of a comparison:
--   users whose hash is below its share, in millionths, count)
-- returns: one row per number, is_after, is_known (the user is identified), source (user, else browser and system) and span (of 6 hours since 1970):
--   exposure_count (sessions), error_count

with states as (
    -- A client that retries repeats the same state.
    select
        release::String as release,
        session_id,
        item_id,
        any(status) as status,
        any(session_count) as session_count,
        any(user_hash) as user_hash,
        any(browser::String) as browser,
        any(os::String) as os,
        min(occurred_at) as reached_at
    from errata_raw.sessions
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and release in {releases:Array(String)}
        -- A session is of the time of its first state.
        and occurred_at >= fromUnixTimestamp64Milli(arrayMin({sinces_ms:Array(Int64)}), 'UTC') - toIntervalDay(1)
        and occurred_at < fromUnixTimestamp64Milli(arrayMax({untils_ms:Array(Int64)}), 'UTC') + toIntervalDay(1)
    group by release, session_id, item_id
),

sessions as (
    select
        release,
        if(session_id = toUUID('00000000-0000-0000-0000-000000000000'), item_id, session_id) as id,
        max(user_hash) as known,
        max(browser) as browser,
        max(os) as os,
        toUnixTimestamp64Milli(min(reached_at)) as at,
        ${part:crashes_of_states}
    from states
    group by release, id
),

errors as (
    ${part:error_events_of_sides}
),

happened as (
    select
        release,
        at,
        known != 0 as is_known,
        known,
        cityHash64(browser, os) as client,
        session_count as exposure_count,
        0 as error_count
    from sessions
    union all
    select
        release,
        at,
        known != 0 as is_known,
        known,
        cityHash64(browser, os) as client,
        0 as exposure_count,
        1 as error_count
    from errors
)

${part:sources_of_sides}
