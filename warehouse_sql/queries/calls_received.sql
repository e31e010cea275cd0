-- calls_received
-- purpose: the calls received in a span: all of them, or those of some days, or those that are copies of some
-- parameters: received_from, received_until, is_all, days, copied_days (of calls whose copies are meant), item_ids (of these), limit
-- returns: one row per delivered copy of a call, moments in milliseconds
-- inputs:  errata_raw.requests

select
    project_id,
    item_id,
    side::String as side,
    host::String as host,
    method::String as method,
    route::String as route,
    path,
    toUnixTimestamp64Milli(occurred_at) as occurred,
    toUnixTimestamp64Milli(received_at) as received,
    environment::String as environment,
    release::String as release,
    status_code,
    duration_ms
from errata_raw.requests
where
    received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_until:DateTime64(3, 'UTC')}
    and (
        {is_all:Bool}
        or toDate(occurred_at) in {days:Array(Date)}
        or (toDate(occurred_at) in {copied_days:Array(Date)} and item_id in {item_ids:Array(UUID)})
    )
limit {limit:UInt32}
