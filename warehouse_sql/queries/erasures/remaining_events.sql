-- purpose: of each variant the latest events that no erasure removes, to take a title and an exemplar from
-- returns: at most three rows per variant: variant_hash, item_id, occurred_at, level, platform, payload

select
    variant_hash,
    item_id,
    occurred_at,
    level,
    platform,
    payload
from errata_raw.error_events
where
    project_id = {project_id:UInt32}
    and variant_hash in {variants:Array(UInt64)}
    and item_id not in (
        select item_id
        from errata_raw.erased_items
        where
            project_id = {project_id:UInt32}
            and source = 'errata_raw.error_events'
    )
order by variant_hash, has_payload desc, occurred_at desc
limit 3 by variant_hash
