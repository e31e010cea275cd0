-- source_bundle
-- purpose: whether a bundle is whole
-- parameters: bundle_id
-- returns: one row if it is: bundle_id
-- inputs:  errata_raw.source_bundles

select bundle_id
from errata_raw.source_bundles
where bundle_id = {bundle_id:UUID}
limit 1
