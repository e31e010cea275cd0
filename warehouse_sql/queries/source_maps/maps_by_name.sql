-- purpose: the latest upload of scripts by the names their URLs have, whatever release it was for: their URLs name the build
-- returns: one row per name with a map: name, bundle_id, script_id, map_id

select
    maps.name as name,
    maps.bundle_id as bundle_id,
    maps.script_id as script_id,
    maps.map_id as map_id
from errata_raw.source_maps as maps
inner join errata_raw.source_bundles as bundles on maps.bundle_id = bundles.bundle_id
where
    maps.name in {names:Array(String)}
    and maps.map_id != toUUID('00000000-0000-0000-0000-000000000000')
    and maps.script_id != toUUID('00000000-0000-0000-0000-000000000000')
order by bundles.uploaded_at desc, bundle_id
limit 1 by name
