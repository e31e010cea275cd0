-- purpose: the uploads that scripts' maps may be in: by debug id, or by the names their URLs have in uploads for their releases
-- returns: the latest upload of each debug id, and of each name by release, dist and whether it has a debug id; the latest first:
--   name, debug_id, script_id, map_id, bundle_id, release, dist

with uploads as (
    select
        maps.name as name,
        maps.debug_id as debug_id,
        maps.debug_id != toUUID('00000000-0000-0000-0000-000000000000') as has_debug_id,
        maps.script_id as script_id,
        maps.map_id as map_id,
        maps.bundle_id as bundle_id,
        bundles.release as release,
        bundles.dist as dist,
        bundles.uploaded_at as uploaded_at
    from errata_raw.source_maps as maps
    inner join errata_raw.source_bundles as bundles on maps.bundle_id = bundles.bundle_id
    where
        maps.map_id != toUUID('00000000-0000-0000-0000-000000000000')
        and (
            maps.debug_id in {debug_ids:Array(UUID)}
            or (maps.name in {names:Array(String)} and bundles.release in {releases:Array(String)})
        )
)

select * except (has_debug_id, uploaded_at)
from (
    select *
    from uploads
    where debug_id in {debug_ids:Array(UUID)}
    order by uploaded_at desc, bundle_id, name
    limit 1 by debug_id
    union all
    select *
    from uploads
    where name in {names:Array(String)} and release in {releases:Array(String)}
    order by uploaded_at desc, bundle_id
    limit 1 by name, release, dist, has_debug_id
)
order by uploaded_at desc, bundle_id, name
