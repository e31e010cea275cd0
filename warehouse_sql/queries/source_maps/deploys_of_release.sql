-- purpose: when a release was deployed, and to which environments
-- definition: The deploys that the build's tool sent for the release.
-- returns: one row per deploy, the latest first: environment, name (empty: not said), finished_at

select
    environment,
    name,
    finished_at
from errata_raw.deploys
where release = {release:String}
order by
    finished_at desc,
    environment,
    name
limit {limit:UInt32}
