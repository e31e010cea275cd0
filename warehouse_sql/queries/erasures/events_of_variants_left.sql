-- purpose: variants without a record that have events: an ingest node still knew them when their record was erased
-- returns: at most one row per variant: variant_hash, item_id, occurred_at, level, platform, payload

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
    and variant_hash not in (
        select variant_hash
        from errata_raw.variants
        where
            project_id = {project_id:UInt32}
            and variant_hash in {variants:Array(UInt64)}
    )
order by variant_hash, has_payload desc, occurred_at
limit 1 by variant_hash
