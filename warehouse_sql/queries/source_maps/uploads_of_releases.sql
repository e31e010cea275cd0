-- purpose: whether anything was uploaded at all, and for which of some releases
-- returns: one row: bundle_count, releases (those with an upload)

select
    count() as bundle_count,
    groupUniqArrayIf(release, release in {releases:Array(String)}) as releases
from errata_raw.source_bundles
