-- purpose: what became of items, lines and deliveries that were not stored as sent, by step of time
-- definition: Items, lines, values and deliveries that were not stored as sent, by when they were first received. Each counts once, also if its batch
--   was delivered again.
-- parameters: since (moment of receipt), until, step_seconds
-- returns: one row per step, project, service, item type, outcome and reason: step_number (0 begins at since), project_id, service, item_type
--   (line, delivery, or that of items), outcome, reason, item_count

with once as (
    select
        batch_id,
        project_id,
        service,
        item_type,
        outcome,
        reason,
        min(received_at) as first_received_at,
        max(item_count) as item_count
    from errata_raw.outcomes
    where
        received_at >= {since:DateTime('UTC')}
        and received_at < {until:DateTime64(3, 'UTC')}
    group by batch_id, project_id, service, host, item_type, outcome, reason
)

select
    intDiv(dateDiff('second', {since:DateTime('UTC')}, first_received_at), {step_seconds:UInt32}) as step_number,
    project_id,
    service,
    item_type,
    outcome,
    reason,
    sum(once.item_count) as item_count
from once
group by step_number, project_id, service, item_type, outcome, reason
order by step_number, project_id, service, item_type, outcome, reason
