-- uploads_of_release
-- purpose: whether anything was uploaded at all, and for a release
-- parameters: release
-- returns: one row: bundle_count, of_release, dists (of the release)
-- inputs:  errata_raw.source_bundles

select
    count() as bundle_count,
    countIf(release = {release:String} and {release:String} != '') as of_release,
    groupUniqArrayIf(dist, release = {release:String}) as dists
from errata_raw.source_bundles
