-- uploads_of_releases
-- purpose: whether anything was uploaded at all, and for which of some releases
-- parameters: releases
-- returns: one row: bundle_count, releases (those with an upload)
-- inputs:  errata_raw.source_bundles

select
    count() as bundle_count,
    groupUniqArrayIf(release, release in {releases:Array(String)}) as releases
from errata_raw.source_bundles
