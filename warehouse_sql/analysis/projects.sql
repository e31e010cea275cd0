-- errata_analysis.projects
-- purpose: the slug and name of every project
-- returns: one row per project
-- inputs:  errata_raw.projects

create or replace view errata_analysis.projects
(
    project_id UInt32 comment 'project id, as in every other view',
    slug String comment 'slug, as in addresses of pages',
    name String comment 'name as shown on pages'
)
definer = current_user sql security definer
as
select
    project_id,
    slug,
    name
from errata_raw.projects final
