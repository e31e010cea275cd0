-- source_bundle
-- purpose: whether a bundle is whole
-- parameters: bundle_id
-- returns: at most one row: release, dist, uploaded_at, uploaded_by, script_count, map_count, byte_count
-- inputs:  errata_raw.source_bundles

select
    release,
    dist,
    uploaded_at,
    uploaded_by,
    script_count,
    map_count,
    byte_count
from errata_raw.source_bundles
where bundle_id = {bundle_id:UUID}
order by uploaded_at
limit 1
