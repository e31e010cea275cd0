-- purpose: the projects that analysts can read, as they were stored last
-- returns: one row per project: project_id, slug, name

select
    project_id,
    slug,
    name
from errata_raw.projects final
