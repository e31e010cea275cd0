-- purpose: what projects and their services delivered, by step of time: what rate limits count, repeated deliveries included
-- definition: Lines count by when they were received, with the project, service and API key of their delivery. A delivery with lines of several
--   services counts once, its bytes too, and its lines count with their own services. What was sent by DSN counts as one delivery of each project and
--   service, with their bytes.
-- parameters: since (moment of receipt), until, step_seconds
-- returns: one row per step, project, service and API key with deliveries: step_number (0 begins at since), project_id, service (empty: keys without
--   one; (several): deliveries of more than one, whose lines are in the rows of each), api_key_prefix, delivery_count, accepted_count and
--   rejected_count (lines), byte_count (of lines, uncompressed)

with parts as (
    select
        intDiv(dateDiff('second', {since:DateTime('UTC')}, received_at), {step_seconds:UInt32}) as step_number,
        project_id,
        api_key_prefix,
        -- A delivery of several services counts once, and its lines with their own services.
        arrayJoin(
            if(
                empty(lines_of_services),
                [(service::String, accepted_count, rejected_count, toUInt8(1), byte_count)],
                arrayConcat(
                    [(service::String, toUInt32(0), toUInt32(0), toUInt8(1), byte_count)],
                    arrayMap(
                        lines -> (lines.1::String, lines.2, lines.3, toUInt8(0), toUInt64(0)), lines_of_services
                    )
                )
            )
        ) as part
    from errata_raw.deliveries
    where
        received_at >= {since:DateTime('UTC')}
        and received_at < {until:DateTime64(3, 'UTC')}
)

select
    step_number,
    project_id,
    part.1 as service,
    api_key_prefix,
    sum(part.4) as delivery_count,
    sum(part.2) as accepted_count,
    sum(part.3) as rejected_count,
    sum(part.5) as byte_count
from parts
group by step_number, project_id, service, api_key_prefix
order by step_number, project_id, service, api_key_prefix
