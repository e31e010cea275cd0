-- purpose: the projects of which items were erased, so that only their deliveries are looked through
-- returns: one row per project: project_id, erased_before (lines logged until then are refused; 1970: none, as of a deleted project, whose keys have
--   ended), has_items, newest

select
    project_id,
    maxIf(asked_at, kind = 'project' and not is_deleted) as erased_before,
    countIf(kind != 'project') > 0 as has_items,
    max(recorded_at) as newest
from errata_raw.erasures
group by project_id
