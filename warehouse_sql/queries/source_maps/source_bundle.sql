-- purpose: whether a bundle is whole
-- returns: one row if it is: bundle_id

select bundle_id
from errata_raw.source_bundles
where bundle_id = {bundle_id:UUID}
limit 1
