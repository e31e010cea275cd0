-- sessions_of_releases
-- purpose: how many sessions of some releases there were, and how many crashed, by what makes sessions alike: their user and their time
-- parameters: project_id, environment, releases
-- returns: one row per release, grouping (user, nobody: sessions without a user one by one, span: of 6 hours, visit: of a user in such a span),
--   session_count and crashed_count: cluster_count, how many clusters have just so many
-- inputs:  errata_raw.sessions

with states as (
    -- A client that retries repeats the same state.
    select
        release::String as release,
        session_id,
        item_id,
        any(status) as status,
        any(session_count) as session_count,
        any(user_hash) as user_hash,
        min(occurred_at) as occurred_at
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
        max(user_hash) as known,
        if(known = 0, cityHash64(id), known) as person,
        toStartOfInterval(min(states.occurred_at), toIntervalHour(6)) as begun,
        ${part:crashes_of_states}
    from states
    group by release, id
),

visits as (
    select
        release,
        known = 0 as is_nobody,
        person,
        begun,
        sum(sessions.session_count) as session_count,
        sum(sessions.crashed_count) as crashed_count
    from sessions
    group by release, is_nobody, person, begun
),

clusters as (
    select
        release,
        if(is_nobody, 'nobody', 'user') as grouping,
        sum(visits.session_count) as session_count,
        sum(visits.crashed_count) as crashed_count
    from visits
    group by release, is_nobody, person
    union all
    select
        release,
        'span' as grouping,
        sum(visits.session_count) as session_count,
        sum(visits.crashed_count) as crashed_count
    from visits
    group by release, begun
    union all
    select
        release,
        'visit' as grouping,
        session_count,
        crashed_count
    from visits
)

select
    release,
    grouping,
    session_count,
    crashed_count,
    count() as cluster_count
from clusters
group by release, grouping, session_count, crashed_count
order by release, grouping, session_count, crashed_count
