-- sessions_of_releases
-- purpose: how many sessions of some releases there were, and how many crashed
-- parameters: project_id, environment, releases
-- returns: one row per release: session_count, crashed_count
-- inputs:  errata_raw.sessions

with states as (
    -- A client that retries repeats the same state.
    select
        release::String as release,
        session_id,
        item_id,
        any(status) as status,
        any(session_count) as session_count
    from errata_raw.sessions
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and release in {releases:Array(String)}
    group by release, session_id, item_id
),

sessions as (
    select
        release,
        if(session_id = toUUID('00000000-0000-0000-0000-000000000000'), item_id, session_id) as id,
        ${part:crashes_of_states}
    from states
    group by release, id
)

select
    release,
    sum(sessions.session_count) as session_count,
    sum(sessions.crashed_count) as crashed_count
from sessions
group by release
