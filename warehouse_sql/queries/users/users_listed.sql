-- purpose: identified users who met errors in the period: how many events and issues, the greatest first
-- definition: A user is the first of ID, email address, name and IP address that the SDK sent; events without any of them are left out. Events and
--   issues count this user's error events and their issues in the period, exactly.
-- parameters: since, until, environment, release (both empty: all), issue_id (0: all), sort, has_cursor, after_value, after_user, limit (the
--   conditions put in have parameters of their own)
-- returns: one row per user with an event that is found: user_hash, event_count, issue_count, first_seen and last_seen (of events in the
--   period), sort_value

with met as (
    select
        user_hash,
        variant_hash,
        -- Copies of an event count once.
        uniqExact(item_id) as event_count,
        min(occurred_at) as first_at,
        max(occurred_at) as last_at,
        max(${is_found}) as has_found
    from errata_raw.error_events
    where
        user_hash != 0
        and occurred_at >= {since:DateTime('UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and ({environment:String} = '' or environment = {environment:String})
        and ({release:String} = '' or release = {release:String})
        and (
            {issue_id:UInt64} = 0
            or variant_hash in (
                select variant_hash
                from errata_raw.variant_assignments final
                where issue_id = {issue_id:UInt64}
            )
        )
        and (${is_meant})
    group by user_hash, variant_hash
),

assigned as (
    select
        variant_hash,
        issue_id
    from errata_raw.variant_assignments final
    where issue_id != 0
)

select
    met.user_hash as user_hash,
    sum(met.event_count) as event_count,
    uniqExactIf(assigned.issue_id, assigned.issue_id != 0) as issue_count,
    min(met.first_at) as first_seen,
    max(met.last_at) as last_seen,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'issues', toInt64(issue_count),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value
from met
left join assigned on met.variant_hash = assigned.variant_hash
group by met.user_hash
having
    max(met.has_found)
    and (
        not {has_cursor:Bool}
        or (sort_value, user_hash) < ({after_value:Int64}, {after_user:UInt64})
    )
order by sort_value desc, user_hash desc
limit {limit:UInt16}
