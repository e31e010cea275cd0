-- arrivals_of_issue
-- purpose: the events of an issue that were received since a build
-- parameters: project_id, built_through, limit
-- names:   is_own
-- returns: one row per copy of an event, the one received first before its repeats
-- inputs:  errata_read.error_events

select
    item_id,
    variant_hash,
    occurred_at,
    received_at,
    environment::String as environment,
    release::String as release,
    user_hash
from errata_read.error_events(projects = [{project_id:UInt32}])
where
    (${is_own})
    and received_at >= {built_through:DateTime64(3, 'UTC')}
order by received_at
limit {limit:UInt32}
