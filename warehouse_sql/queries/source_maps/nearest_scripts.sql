-- purpose: uploads of scripts that are called like some that have no map, for a word on what is wrong
-- parameters: file_names (last parts of URLs), names (whole ones), releases
-- returns: at most 5 rows per last part for each of the releases, and 5 for all others, those with a whole name first, then the latest:
--   file_name, name, debug_id, has_map, map_reference, release, dist

select
    splitByChar('/', maps.name)[-1] as file_name,
    maps.name as name,
    maps.debug_id as debug_id,
    maps.map_id != toUUID('00000000-0000-0000-0000-000000000000') as has_map,
    maps.map_reference as map_reference,
    bundles.release as release,
    bundles.dist as dist
from errata_raw.source_maps as maps
inner join errata_raw.source_bundles as bundles on maps.bundle_id = bundles.bundle_id
where file_name in {file_names:Array(String)}
order by maps.name in {names:Array(String)} desc, bundles.uploaded_at desc, name
limit 5 by file_name, if(release in {releases:Array(String)}, release, '')
