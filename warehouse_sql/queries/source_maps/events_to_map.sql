-- purpose: the event by which a variant is read through source maps: the latest of a release with uploads, else the latest
-- returns: one row per variant with an event: variant_hash, item_id, release, payload

select
    variant_hash,
    item_id,
    release::String as release,
    payload
from errata_raw.error_events as events
where
    variant_hash in {variants:Array(UInt64)}
    and (variant_hash, occurred_at, item_id) in (
        select
            variant_hash,
            tupleElement(argMax((occurred_at, item_id), (has_payload, is_uploaded, occurred_at, item_id)) as latest, 1),
            tupleElement(latest, 2)
        from (
            select
                variant_hash,
                occurred_at,
                item_id,
                has_payload,
                release in (select release from errata_raw.source_bundles where release != '') as is_uploaded
            from errata_raw.error_events
            where variant_hash in {variants:Array(UInt64)}
        )
        group by variant_hash
    )
limit 1 by variant_hash
