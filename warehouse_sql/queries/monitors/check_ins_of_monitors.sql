-- purpose: the latest statuses of runs of a project's monitors
-- definition: Check-ins as SDKs and sentry-cli sent them, each status of a run once. Missed runs follow from the monitor's schedule: no
--   run began until the expected time and the margin had passed, and the host has delivered past that.
-- parameters: slugs, sinces (the first moment of each of them, in seconds since 1970), limit (of each monitor and environment)
-- returns: one row per status of a run, latest first: monitor_slug, environment, check_in_id (nil: none was sent), status, occurred_at,
--   duration_ms (nan: not sent), host, release, config (empty: not sent)

select
    monitor_slug,
    environment,
    check_in_id,
    status,
    occurred_at,
    duration_ms,
    host,
    release,
    config
from (
    select *
    from errata_raw.check_ins
    where
        has({slugs:Array(String)}, monitor_slug)
        and toUnixTimestamp(occurred_at) >= transform(monitor_slug::String, {slugs:Array(String)}, {sinces:Array(UInt32)}, 0)
    -- Among copies of a status, one counts.
    order by occurred_at desc, received_at asc
    limit 1 by item_id
)
order by occurred_at desc, item_id desc
limit {limit:UInt16} by monitor_slug, environment
