-- purpose: events and users of each variant as of this very moment: mart rows and the rows received since they were built, without what was deleted
-- parameters: since (a full hour; the start of a day unless by_hour), by_hour; the statement needs enable_materialized_cte
-- returns: one row per variant, bucket, environment and release, and another one for its live edge
with (
    ${part:cuts_in_force}
) as cuts,

counted as (
    select
        project_id,
        variant_hash,
        toDate(hour) as day,
        hour as bucket_at,
        environment,
        release,
        after_deletion_at,
        event_count,
        users_state,
        first_occurred_at,
        last_occurred_at,
        built_through
    from errata_mart.variant_hourly
    where
        {by_hour:Bool}
        and hour >= {since:DateTime('UTC')}
    union all
    select
        project_id,
        variant_hash,
        day,
        toDateTime(day, 'UTC') as bucket_at,
        environment,
        release,
        after_deletion_at,
        event_count,
        users_state,
        first_occurred_at,
        last_occurred_at,
        built_through
    from errata_mart.variant_daily
    where
        not {by_hour:Bool}
        and day >= toDate({since:DateTime('UTC')})
),

built as materialized (
    select
        day,
        max(counted.built_through) as built_through
    from counted
    group by day
),

arrived as materialized (
    -- Among copies of an event, the one received first counts.
    select
        events.project_id as project_id,
        events.item_id as item_id,
        events.variant_hash as variant_hash,
        events.occurred_at as occurred_at,
        events.environment as environment,
        events.release as release,
        events.user_hash as user_hash,
        events.received_at as received_at
    from errata_raw.error_events as events
    left join built on toDate(events.occurred_at) = built.day
    where
        events.occurred_at >= {since:DateTime('UTC')}
        -- Only skips what is in the mart for sure; the next line decides.
        and events.received_at >= (
            select max(complete_through)
            from errata_read.build_progress
            where mart = if({by_hour:Bool}, 'variant_hourly', 'variant_daily')
        )
        and events.received_at >= built.built_through
    order by events.received_at, events.occurred_at, events.variant_hash, events.environment, events.release, events.user_hash
    limit 1 by events.project_id, events.item_id
),

earlier as (
    -- Copies of one hour, whenever they were received; next to none are looked at while no event of the past came in.
    select
        project_id,
        item_id,
        occurred_at,
        received_at
    from errata_raw.error_events
    where
        occurred_at >= (
            -- Without rows, min() would be 1970, and the whole table would be read.
            select if(count() = 0, toDateTime64('2299-12-31 00:00:00', 3, 'UTC'), toDateTime64(toStartOfHour(min(occurred_at)), 3, 'UTC'))
            from arrived
        )
    union all
    -- And those of any hour, as far back as copies_elsewhere looks for them.
    select
        project_id,
        item_id,
        occurred_at,
        received_at
    from errata_raw.error_events
    where
        received_at >= (
            select if(count() = 0, toDateTime64('2299-12-31 00:00:00', 3, 'UTC'), min(received_at) - toIntervalDay(2))
            from arrived
        )
),

known as (
    -- Repeats of events that are in the mart.
    select
        earlier.project_id as project_id,
        earlier.item_id as item_id
    from earlier
    inner join arrived on earlier.project_id = arrived.project_id and earlier.item_id = arrived.item_id
    where
        -- The order of copies_elsewhere: of one batch the earlier counts, and the other's day may hold nothing else.
        (earlier.received_at, earlier.occurred_at) < (arrived.received_at, arrived.occurred_at)
        and (
            toStartOfHour(earlier.occurred_at) = toStartOfHour(arrived.occurred_at)
            or earlier.received_at >= arrived.received_at - toIntervalDay(2)
        )
)

select
    project_id,
    variant_hash,
    bucket_at,
    environment,
    release,
    event_count,
    users_state,
    first_occurred_at,
    last_occurred_at
from counted
where
    toUnixTimestamp64Micro(after_deletion_at)
    >= transform(cityHash64(project_id, variant_hash), cuts.1, cuts.2, toInt64(0))
union all
select
    project_id,
    variant_hash,
    toStartOfHour(occurred_at) as bucket_at,
    environment,
    release,
    count() as event_count,
    uniqStateIf(user_hash, user_hash != 0) as users_state,
    min(occurred_at) as first_occurred_at,
    max(occurred_at) as last_occurred_at
from arrived
where
    (project_id, item_id) not in (select project_id, item_id from known)
    and toUnixTimestamp64Milli(received_at) * 1000
    > transform(cityHash64(project_id, variant_hash), cuts.1, cuts.2, toInt64(0))
group by project_id, variant_hash, bucket_at, environment, release
