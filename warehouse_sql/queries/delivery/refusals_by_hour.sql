-- refusals_by_hour
-- purpose: what was refused in projects, and why: lines by reason, and deliveries that the rate limit turned away
-- parameters: since (moment of receipt)
-- returns: one row per hour, item_type (line or delivery) and reason, the newest first: hour_start, item_type, reason, refused_count
-- inputs:  errata_raw.outcomes

with once as (
    -- A batch that is delivered again has the same outcomes again.
    select
        batch_id,
        item_type,
        outcome,
        project_id,
        min(received_at) as first_received_at,
        max(item_count) as item_count
    from errata_raw.outcomes
    where
        received_at >= {since:DateTime('UTC')}
        and item_type in ('line', 'delivery')
    group by batch_id, item_type, outcome, project_id
)

select
    toStartOfHour(first_received_at) as hour_start,
    item_type,
    outcome as reason,
    sum(once.item_count) as refused_count
from once
group by hour_start, item_type, reason
order by hour_start desc, refused_count desc, item_type, reason
