-- purpose: where each release of some projects stands among the others
-- returns: one row per release: project_id, release, position (the latest has the greatest)

select
    project_id,
    release,
    position
from errata_read.releases
