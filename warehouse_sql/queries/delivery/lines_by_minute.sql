-- lines_by_minute
-- purpose: what projects delivered, minute by minute: what the rate limit counts, repeated deliveries included
-- parameters: since (moment of receipt)
-- returns: one row per minute and project with deliveries: minute_start, project_id, delivery_count, accepted_count and rejected_count (lines)
-- inputs:  errata_raw.deliveries

select
    toStartOfMinute(received_at) as minute_start,
    project_id,
    count() as delivery_count,
    sum(deliveries.accepted_count) as accepted_count,
    sum(deliveries.rejected_count) as rejected_count
from errata_raw.deliveries as deliveries
where received_at >= {since:DateTime('UTC')}
group by minute_start, project_id
order by minute_start, project_id
