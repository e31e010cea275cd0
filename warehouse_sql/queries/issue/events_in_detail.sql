-- purpose: what the list of an issue's events shows of each; wide columns are read only where these events lie
-- definition: The listed error events with their values as the SDK sent them. Of copies of an event one is shown.
-- parameters: variants, item_ids, moments (at which they occurred), receipts (at which their first copies were received)
-- returns: one row per event, newest first

select
    item_id,
    occurred_at,
    received_at,
    environment,
    release,
    level,
    message,
    user_hash,
    user_id,
    user_email,
    user_name,
    user_ip,
    transaction,
    server_name,
    service,
    browser,
    os,
    request_method,
    request_url,
    tags,
    is_clock_corrected
from errata_raw.error_events
where
    variant_hash in {variants:Array(UInt64)}
    and occurred_at in {moments:Array(DateTime64(3, 'UTC'))}
    -- Skips partitions.
    and received_at in {receipts:Array(DateTime64(3, 'UTC'))}
    and item_id in {item_ids:Array(UUID)}
order by occurred_at desc, item_id desc, received_at
limit 1 by item_id
