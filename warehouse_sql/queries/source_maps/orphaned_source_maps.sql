-- purpose: scripts of removed bundles, and of uploads that ended midway
-- returns: one row per bundle: bundle_id

select bundle_id
from errata_raw.source_maps
where bundle_id not in (select bundle_id from errata_raw.source_bundles)
group by bundle_id
having max(recorded_at) < {recorded_before:DateTime64(3, 'UTC')}
