-- purpose: how many sessions of some releases there were, and how many crashed, by what makes sessions alike: their user and their time
-- parameters: project_id, environment, releases (one may be named twice), weights (of each release what a session of each hour of the week counts)
-- returns: one row per number (the place in releases), grouping (user, nobody: sessions without a user one by one, span: of 6 hours, visit: of a user
--   in such a span, hour: of the week), hour (of the grouping hour: 0 for Monday 00:00), session_count and crashed_count: cluster_count, how many
--   clusters have just so many

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
        min(states.occurred_at) as at,
        ${part:crashes_of_states}
    from states
    group by release, id
),

sides as (
    select
        side.1 as number,
        side.2 as release,
        side.3 as weights
    from (
        select arrayJoin(arrayZip(
            range(length({releases:Array(String)})),
            {releases:Array(String)},
            {weights:Array(Array(Float64))}
        )) as side
    )
),

visits as (
    select
        sides.number as number,
        sessions.known = 0 as is_nobody,
        sessions.person as person,
        toStartOfInterval(sessions.at, toIntervalHour(6)) as begun,
        24 * (toDayOfWeek(sessions.at) - 1) + toHour(sessions.at) as hour,
        if(empty(sides.weights), 1, sides.weights[hour + 1]) as weight,
        sum(sessions.session_count * weight) as session_count,
        sum(sessions.crashed_count * weight) as crashed_count
    from sessions
    inner join sides on sessions.release = sides.release
    group by number, is_nobody, person, begun, hour, weight
    having weight > 0
),

clusters as (
    select
        number,
        if(is_nobody, 'nobody', 'user') as grouping,
        0 as hour,
        sum(visits.session_count) as session_count,
        sum(visits.crashed_count) as crashed_count
    from visits
    group by number, is_nobody, person
    union all
    select
        number,
        'span' as grouping,
        0 as hour,
        sum(visits.session_count) as session_count,
        sum(visits.crashed_count) as crashed_count
    from visits
    group by number, begun
    union all
    select
        number,
        'visit' as grouping,
        0 as hour,
        sum(visits.session_count) as session_count,
        sum(visits.crashed_count) as crashed_count
    from visits
    group by number, is_nobody, person, begun
    union all
    select
        number,
        'hour' as grouping,
        visits.hour as hour,
        sum(visits.session_count) as session_count,
        sum(visits.crashed_count) as crashed_count
    from visits
    group by number, visits.hour
)

select
    number,
    grouping,
    hour,
    -- Of many users few have the same sum of weights to all digits.
    round(clusters.session_count, 2) as session_count,
    round(clusters.crashed_count, 2) as crashed_count,
    count() as cluster_count
from clusters
group by number, grouping, hour, session_count, crashed_count
order by number, grouping, hour, session_count, crashed_count
