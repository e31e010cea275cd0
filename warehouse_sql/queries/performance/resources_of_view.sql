-- purpose: what one page view loaded, in the order it was asked for
-- definition: Each row is one resource or call of this page load, as the browser measured it.
-- parameters: view_id, since, until (moments of receipt, half-open), limit
-- returns: one row per delivered copy of a resource or call: project, when it was received, type, url, when, bytes, whether it blocked, was cached, its status

select
    project_id,
    item_id,
    received_at,
    type,
    initiator,
    url,
    host,
    start_us,
    duration_ms,
    transfer_bytes,
    body_bytes,
    decoded_bytes,
    is_render_blocking,
    is_cached,
    status_code
from errata_raw.page_resources
where
    view_id = {view_id:UInt64}
    and received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
order by start_us, item_id, received_at
limit {limit:UInt32}
