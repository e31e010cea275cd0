-- built_events
-- purpose: matching events that a build knows, by variant and step of the period, by reading them; with the parameters of the question.
--   Only what occurred at a moment of a repeated event is looked at for copies
-- parameters: none
-- names: variant_condition, event_condition
select
    variant_hash,
    least(
        intDiv(toInt64(toDateTime(occurred_at)) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
        {bucket_count:UInt16} - 1
    ) as step,
    count() as event_count,
    uniqStateIf(user_hash, user_hash != 0) as users_state
from errata_read.error_events(projects = [{project_id:UInt32}])
where
    occurred_at >= {since:DateTime('UTC')}
    and occurred_at not in (
        select occurred_at
        from errata_read.repeated_events(projects = [{project_id:UInt32}])
        where hour >= toStartOfHour({since:DateTime('UTC')})
    )
    and received_at < {counted_through:DateTime64(3, 'UTC')}
    and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
    and (empty({releases:Array(String)}) or release in {releases:Array(String)})
    and (${variant_condition})
    and (${event_condition})
group by variant_hash, step
union all
select
    variant_hash,
    least(
        intDiv(toInt64(toDateTime(occurred_at)) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
        {bucket_count:UInt16} - 1
    ) as step,
    uniqExact(item_id) as event_count,
    uniqStateIf(user_hash, user_hash != 0) as users_state
from errata_read.error_events(projects = [{project_id:UInt32}])
where
    occurred_at >= {since:DateTime('UTC')}
    and occurred_at in (
        select occurred_at
        from errata_read.repeated_events(projects = [{project_id:UInt32}])
        where hour >= toStartOfHour({since:DateTime('UTC')})
    )
    and received_at < {counted_through:DateTime64(3, 'UTC')}
    and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
    and (empty({releases:Array(String)}) or release in {releases:Array(String)})
    and (${variant_condition})
    and (${event_condition})
    and (
        item_id not in (
            select item_id
            from errata_read.repeated_events(projects = [{project_id:UInt32}])
            where hour >= toStartOfHour({since:DateTime('UTC')})
        )
        or (item_id, variant_hash, received_at) in (
            select
                item_id,
                variant_hash,
                first_received_at
            from errata_read.repeated_events(projects = [{project_id:UInt32}])
            where hour >= toStartOfHour({since:DateTime('UTC')})
        )
    )
group by variant_hash, step
