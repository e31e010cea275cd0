-- purpose: what the latest events of a project hold, the newest first, as far as they are no more than so many bytes
-- parameters: since (none received before is looked at), limit, most_bytes
-- returns: one row per event: payload

with latest as (
    select *
    from (
        select
            item_id,
            variant_hash,
            received_at
        from errata_raw.error_events
        where received_at >= {since:DateTime64(3, 'UTC')} and has_payload and (${is_kept})
        order by received_at desc, item_id
        limit 1 by item_id
    )
    order by received_at desc, item_id
    limit {limit:UInt16}
),

events as (
    select
        received_at,
        item_id,
        payload,
        sum(length(payload)) over (order by received_at desc, item_id) as byte_count
    from (
        select
            received_at,
            item_id,
            payload
        from errata_raw.error_events
        where
            received_at >= {since:DateTime64(3, 'UTC')}
            and variant_hash in (select latest.variant_hash from latest)
            and (item_id, received_at) in (select latest.item_id, latest.received_at from latest)
        -- Copies may have been received at the same moment.
        limit 1 by item_id
    )
)

select payload
from events
where byte_count <= {most_bytes:UInt64}
order by received_at desc, item_id
