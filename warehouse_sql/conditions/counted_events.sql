-- counted_events
-- purpose: matching events by variant and hour, by reading them; with the parameters of the question
-- parameters: none
-- names: event_condition
select
    variant_hash,
    toStartOfHour(occurred_at) as bucket_at,
    count() as event_count,
    uniqStateIf(user_hash, user_hash != 0) as users_state
from (
    select
        variant_hash,
        occurred_at,
        user_hash
    from errata_read.error_events(projects = [{project_id:UInt32}]) as events
    where
        occurred_at >= {since:DateTime('UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (${event_condition})
    -- Of copies of an event one counts.
    limit 1 by item_id
)
group by variant_hash, bucket_at
