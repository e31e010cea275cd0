-- counted_events
-- purpose: matching events by variant and hour, by reading them; with the parameters of the question
-- parameters: none
-- names: event_condition
select
    copy.1 as variant_hash,
    toStartOfHour(copy.2) as bucket_at,
    count() as event_count,
    uniqStateIf(copy.3, copy.3 != 0) as users_state
from (
    -- Of copies of an event one counts. A group can be put aside on disk, unlike a row that was let through.
    select any((variant_hash, occurred_at, user_hash)) as copy
    from errata_raw.error_events as events
    where
        occurred_at >= {since:DateTime('UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (${event_condition})
    group by item_id
)
group by variant_hash, bucket_at
