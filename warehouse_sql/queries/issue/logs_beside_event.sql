-- purpose: the log records beside an event: of its trace or its host, in a period; of very many those nearest to its moment
-- definition: Log records of the event's trace, from five minutes before it to five minutes after it; if there are none, those of its host and environment in the minute before it. A record delivered twice counts once.
-- parameters: project_id, since, until (half-open), received_from, moment, levels, text (empty: any), limit
-- returns: one row per record, the oldest first, each with record_count, the number of all that match

with records as (
    select
        item_id,
        occurred_at,
        received_at,
        position,
        level,
        body,
        attributes,
        trace_id,
        span_id,
        server_name,
        environment,
        release,
        service
    from errata_raw.logs
    where
        project_id = {project_id:UInt32}
        and ${is_meant}
        and occurred_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and has({levels:Array(String)}, level)
        and (
            {text:String} = ''
            or positionCaseInsensitiveUTF8(body, {text:String}) > 0
            or arrayExists(value -> positionCaseInsensitiveUTF8(value, {text:String}) > 0, mapValues(attributes))
        )
    -- Copies of a delivery.
    order by received_at
    limit 1 by item_id
),

nearest as (
    select
        *,
        count() over () as record_count
    from records
    order by
        abs(dateDiff('millisecond', occurred_at, {moment:DateTime64(3, 'UTC')})),
        item_id
    limit {limit:UInt16}
)

select
    item_id,
    occurred_at,
    level,
    body,
    attributes,
    trace_id,
    span_id,
    server_name,
    environment,
    release,
    service,
    record_count
from nearest
order by occurred_at, received_at, position, item_id
