-- purpose: matching events and users of issues in any period, by reading them: moments at which an event has copies are left to the table that
--   knows which of them counts
-- parameters: span, since, until, bucket_seconds, bucket_count, wholes, environments (none: all), releases (none: all), copies_through
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
    '' as first_release,
    '' as last_release
from (
    with (
        ${part:cuts_in_force}
    ) as cuts

    select
        variant_hash,
        environment,
        count() as event_count,
        uniqStateIf(user_hash, user_hash != 0) as users_state,
        arrayResize(
            countResample(0, ${most_buckets}, 1)(
                least(
                    intDiv(toInt64(toDateTime(occurred_at)) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
                    toInt64({bucket_count:UInt16}) - 1
                )
            ),
            {bucket_count:UInt16}
        ) as bucket_counts,
        min(occurred_at) as first_occurred_at,
        max(occurred_at) as last_occurred_at
    from (
        select
            variant_hash,
            environment::String as environment,
            occurred_at,
            user_hash
        from errata_raw.error_events
        where
            occurred_at >= {since:DateTime('UTC')}
            and occurred_at < {until:DateTime64(3, 'UTC')}
            -- No event occurs more than an hour after its receipt. Skips partitions.
            and received_at >= {since:DateTime('UTC')} - interval 2 hour
            and occurred_at not in (
                select occurred_at
                from errata_mart.repeated_events
                where hour >= toStartOfHour({since:DateTime('UTC')})
            )
            and received_at < {copies_through:DateTime64(3, 'UTC')}
            and (${own_variants})
            and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
            and (empty({releases:Array(String)}) or release in {releases:Array(String)})
            and (${event_condition})
            and toUnixTimestamp64Milli(received_at) * 1000 > transform(variant_hash, cuts.3, cuts.2, toInt64(0))
        union all
        select
            variant_hash,
            environment::String as environment,
            occurred_at,
            user_hash
        from errata_mart.repeated_events
        where
            is_counted
            and hour >= toStartOfHour({since:DateTime('UTC')})
            and occurred_at >= {since:DateTime('UTC')}
            and occurred_at < {until:DateTime64(3, 'UTC')}
            and received_at < {copies_through:DateTime64(3, 'UTC')}
            and (${own_variants})
            and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
            and (empty({releases:Array(String)}) or release in {releases:Array(String)})
            and (${event_condition})
            and toUnixTimestamp64Milli(received_at) * 1000 > transform(variant_hash, cuts.3, cuts.2, toInt64(0))
    )
    group by variant_hash, environment
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
    '' as first_release,
    '' as last_release
from (
    select *
    from fresh
    where
        (${own})
        and is_matching
        and received_at >= {copies_through:DateTime64(3, 'UTC')}
        and occurred_at >= {since:DateTime('UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
) as arrived
