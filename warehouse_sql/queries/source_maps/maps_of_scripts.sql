-- maps_of_scripts
-- purpose: the uploads that a script's map may be in: by debug id, or by the names its URL has in uploads for the release
-- parameters: debug_ids, names, release
-- returns: one row per script and bundle, the latest upload first: name, debug_id, script_id, map_id, map_reference, bundle_id, release, dist
-- inputs:  errata_raw.source_maps, errata_raw.source_bundles

select
    maps.name as name,
    maps.debug_id as debug_id,
    maps.script_id as script_id,
    maps.map_id as map_id,
    maps.map_reference as map_reference,
    maps.bundle_id as bundle_id,
    bundles.release as release,
    bundles.dist as dist
from errata_raw.source_maps as maps
inner join errata_raw.source_bundles as bundles on maps.bundle_id = bundles.bundle_id
where
    maps.debug_id in {debug_ids:Array(UUID)}
    or (
        {release:String} != ''
        and maps.name in {names:Array(String)}
        and bundles.release = {release:String}
    )
order by bundles.uploaded_at desc, bundle_id, name
limit 1000
