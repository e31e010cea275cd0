-- purpose: of some events of an issue the one that tells most about it
-- parameters: variants, item_ids, moments (at which they occurred), receipts (at which their first copies were received)
-- returns: one row: item_id, score (0 to 10)

select
    item_id,
    -- A key stands in JSON with its quotes bare: within a text they would be marked.
    2 * (position(payload, '"vars"') > 0)
    + 2 * (position(payload, '"context_line"') > 0)
    + 2 * (request_url != '')
    + (position(payload, '"breadcrumbs"') > 0)
    + (user_hash != 0)
    + (replay_id != toUUID('00000000-0000-0000-0000-000000000000'))
    + (not is_clock_corrected) as score
from errata_raw.error_events
where
    variant_hash in {variants:Array(UInt64)}
    and occurred_at in {moments:Array(DateTime64(3, 'UTC'))}
    -- Skips partitions.
    and received_at in {receipts:Array(DateTime64(3, 'UTC'))}
    and item_id in {item_ids:Array(UUID)}
order by score desc, occurred_at desc, item_id desc
limit 1
