-- purpose: what some page loads loaded and called, in the order it was asked for
-- definition: Each row is one resource or call of these page loads, as the browser measured it.
-- returns: one row per resource or call: view, when, type, url, bytes, whether it blocked and was cached

select
    project_id,
    view_id,
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
    is_cached
from errata_raw.page_resources
where
    received_at >= {since:DateTime('UTC')} - toIntervalDay(4)
    and view_id in {view_ids:Array(UInt64)}
order by start_us, received_at, item_id
limit 1 by project_id, item_id
