-- purpose: events and users of issues in any period, from days (or hours) as built and events received since; with a condition on environment and release
-- parameters: span, since, until, by_hour, bucket_seconds, bucket_count, wholes, environments (none: all), releases (none: all)
-- names: own (a condition on issue_id), own_variants, event_condition, most_buckets (the same as bucket_count)
-- returns: rows per issue, span, is_whole (all environments together) and environment
select
    assigned.issue_id as issue_id,
    {span:String} as span,
    arrayJoin({wholes:Array(Bool)}) as is_whole,
    if(is_whole, '', counted.environment) as environment,
    counted.event_count as event_count,
    toUInt64(0) as user_count,
    counted.users_state as users_state,
    counted.bucket_counts as bucket_counts,
    assigned.recorded_at as recorded_at,
    counted.first_occurred_at as first_occurred_at,
    counted.last_occurred_at as last_occurred_at,
    counted.first_release as first_release,
    counted.last_release as last_release
from (
    select
        variant_hash,
        environment,
        after_deletion_at,
        sum(counts.event_count) as event_count,
        uniqMergeState(counts.users_state) as users_state,
        arrayResize(
            sumResample(0, ${most_buckets}, 1)(
                counts.event_count,
                least(
                    intDiv(toInt64(bucket_at) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
                    toInt64({bucket_count:UInt16}) - 1
                )
            ),
            {bucket_count:UInt16}
        ) as bucket_counts,
        min(counts.first_occurred_at) as first_occurred_at,
        max(counts.last_occurred_at) as last_occurred_at,
        argMinIf(release, counts.first_occurred_at, release != '') as first_release,
        argMaxIf(release, counts.last_occurred_at, release != '') as last_release
    from (
        select
            variant_hash,
            toDateTime(day, 'UTC') as bucket_at,
            environment::String as environment,
            release::String as release,
            after_deletion_at,
            event_count,
            users_state,
            first_occurred_at,
            last_occurred_at
        from errata_mart.variant_daily
        where
            not {by_hour:Bool}
            and day >= toDate({since:DateTime('UTC')})
            and day < toDate({until:DateTime('UTC')})
            and (${own_variants})
        union all
        select
            variant_hash,
            hour as bucket_at,
            environment::String as environment,
            release::String as release,
            after_deletion_at,
            event_count,
            users_state,
            first_occurred_at,
            last_occurred_at
        from errata_mart.variant_hourly
        where
            {by_hour:Bool}
            and hour >= {since:DateTime('UTC')}
            and hour < {until:DateTime('UTC')}
            and (${own_variants})
    ) as counts
    where
        (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (${event_condition})
    group by variant_hash, environment, after_deletion_at
) as counted
inner join (
    select
        variant_hash,
        issue_id,
        cut_at,
        -- Deleted variants no longer exist.
        if(cut_at = toDateTime64(0, 6, 'UTC'), own.first_seen_at, toDateTime64('2299-12-31 00:00:00', 3, 'UTC')) as recorded_at
    from errata_raw.variant_assignments as own final
) as assigned on counted.variant_hash = assigned.variant_hash
where counted.after_deletion_at >= assigned.cut_at
union all
select
    issue_id,
    {span:String} as span,
    arrayJoin({wholes:Array(Bool)}) as is_whole,
    if(is_whole, '', environment) as environment,
    toUInt64(1) as event_count,
    toUInt64(0) as user_count,
    initializeAggregation('uniqStateIf', user_hash, user_hash != 0) as users_state,
    arrayMap(
        number -> toUInt64(number = least(
            intDiv(toInt64(toDateTime(occurred_at)) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
            toInt64({bucket_count:UInt16}) - 1
        )),
        range({bucket_count:UInt16})
    ) as bucket_counts,
    recorded_at,
    occurred_at as first_occurred_at,
    occurred_at as last_occurred_at,
    release as first_release,
    release as last_release
from (
    select *
    from fresh
    left join (
        -- A built day holds the events received before its build.
        select
            day,
            max(built_through) as built_through
        from (
            select
                day,
                built_through
            from errata_mart.variant_daily
            where
                not {by_hour:Bool}
                and day >= toDate({since:DateTime('UTC')})
            union all
            select
                toDate(hour) as day,
                built_through
            from errata_mart.variant_hourly
            where
                {by_hour:Bool}
                and hour >= {since:DateTime('UTC')}
        )
        group by day
    ) as days on toDate(fresh.occurred_at) = days.day
    where
        (${own})
        and received_at >= days.built_through
        and occurred_at >= {since:DateTime('UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (${event_condition})
) as arrived
