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
    uniqStateIf(counted_user, counted_user != 0) as users_state
from (
    select
        variant_hash,
        occurred_at,
        -- Not even read where nobody counts users.
        if({counts_users:Bool}, user_hash, 0) as counted_user
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
        and (${kept})
    union all
    select
        variant_hash,
        occurred_at,
        if({counts_users:Bool}, user_hash, 0) as counted_user
    from errata_read.repeated_events(projects = [{project_id:UInt32}])
    where
        hour >= toStartOfHour({since:DateTime('UTC')})
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
