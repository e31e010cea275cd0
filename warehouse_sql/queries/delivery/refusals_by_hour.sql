-- purpose: what was refused in projects, and why: lines by reason, and deliveries that a rate limit or a wrong key turned away
-- parameters: since (moment of receipt)
-- returns: one row per hour, project, service, item_type (line or delivery) and reason, the newest first: hour_start, project_id, service (empty: keys
--   without one), item_type, reason, refused_count, last_refused_at, hosts (those that are known, each with its count and latest moment)

with once as (
    -- A batch that is delivered again has the same outcomes again.
    select
        batch_id,
        item_type,
        outcome,
        project_id,
        service,
        host,
        min(received_at) as first_received_at,
        max(item_count) as item_count
    from errata_raw.outcomes
    where
        received_at >= {since:DateTime('UTC')}
        and item_type in ('line', 'delivery')
    group by batch_id, item_type, outcome, project_id, service, host
),

by_host as (
    select
        toStartOfHour(first_received_at) as hour_start,
        project_id,
        service,
        item_type,
        outcome as reason,
        toString(once.host) as host,
        sum(once.item_count) as item_count,
        max(first_received_at) as last_refused_at
    from once
    group by hour_start, project_id, service, item_type, reason, host
)

select
    hour_start,
    project_id,
    service,
    item_type,
    reason,
    sum(by_host.item_count) as refused_count,
    max(by_host.last_refused_at) as last_refused_at,
    arraySort(groupArrayIf((by_host.host, by_host.item_count, by_host.last_refused_at), by_host.host != '')) as hosts
from by_host
group by hour_start, project_id, service, item_type, reason
order by hour_start desc, refused_count desc, project_id, service, item_type, reason
