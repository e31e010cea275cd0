-- built_events
-- purpose: matching events that a build knows, by the issue that the statement places them in, by reading them; with the parameters of the question. Moments at which an event
--   has copies are left to the table that knows which of them counts
-- parameters: none
-- names: variant_condition, event_condition, kept
select
    placed.issue_id as issue_id,
    countResample(0, 31, 1)(
        least(
            intDiv(toInt64(toDateTime(occurred_at)) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
            {bucket_count:UInt16} - 1
        )
    ) as steps,
    -- A set for every issue would cost as much as all else.
    uniqStateIf(user_hash, user_hash != 0 and ({counts_users:Bool} or issue_id in {issue_ids:Array(UInt64)})) as users_state
from (
    select
        variant_hash,
        occurred_at,
        user_hash
    from errata_raw.error_events
    where
        occurred_at >= {since:DateTime('UTC')}
        and occurred_at not in (
            select occurred_at
            from errata_mart.repeated_events
            where hour >= toStartOfHour({since:DateTime('UTC')})
        )
        and received_at < {counted_through:DateTime64(3, 'UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (${variant_condition})
        and (${event_condition})
        and (${kept})
    union all
    select
        variant_hash,
        occurred_at,
        user_hash
    from errata_mart.repeated_events
    where
        is_counted
        and hour >= toStartOfHour({since:DateTime('UTC')})
        and occurred_at >= {since:DateTime('UTC')}
        and received_at < {counted_through:DateTime64(3, 'UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (${variant_condition})
        and (${event_condition})
        and (${kept})
) as events
inner join placed on events.variant_hash = placed.variant_hash
group by issue_id
