-- purpose: what servers did for one page view: its calls and what they led to, by trace
-- parameters: trace_id, view_id, since, until (moments of receipt, half-open), limit
-- returns: one row per delivered copy of a span, the earliest first: ids, op, description, when, status

select
    item_id,
    span_id,
    parent_span_id,
    segment_id,
    is_segment,
    op,
    description,
    start_us,
    duration_ms,
    status,
    status_code,
    service
from errata_raw.spans
where
    trace_id = {trace_id:UUID}
    and received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
    -- The page's own work is in its parts and resources, except for the ids of its calls.
    and (op = 'http.client' or segment_id != {view_id:UInt64})
    and not match(op, '^(pageload|navigation|ui\\.|browser\\.|resource\\.|paint|mark|measure)')
order by start_us, item_id, received_at
limit {limit:UInt32}
