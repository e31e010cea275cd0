-- purpose: what projects and their services delivered, minute by minute: what the rate limit counts, repeated deliveries included
-- parameters: since (moment of receipt)
-- returns: one row per minute, project and service with deliveries: minute_start, project_id, service (empty: keys without one; (several): deliveries
--   of more than one, whose lines are in the rows of each), delivery_count, accepted_count and rejected_count (lines)

with parts as (
    select
        toStartOfMinute(received_at) as minute_start,
        project_id,
        -- A delivery of several services counts once, and its lines with their own services.
        arrayJoin(
            if(
                empty(lines_of_services),
                [(service::String, accepted_count, rejected_count, toUInt8(1))],
                arrayConcat(
                    [(service::String, toUInt32(0), toUInt32(0), toUInt8(1))],
                    arrayMap(lines -> (lines.1::String, lines.2, lines.3, toUInt8(0)), lines_of_services)
                )
            )
        ) as part
    from errata_raw.deliveries
    where received_at >= {since:DateTime('UTC')}
)

select
    minute_start,
    project_id,
    part.1 as service,
    sum(part.4) as delivery_count,
    sum(part.2) as accepted_count,
    sum(part.3) as rejected_count
from parts
group by minute_start, project_id, service
order by minute_start, project_id, service
