-- errata_read.expirations
-- purpose: up to which day of receipt the rows of each project may be gone
-- returns: one row per project and table: project_id, table, through
-- inputs:  errata_raw.expirations

create or replace view errata_read.expirations
definer = current_user sql security definer
as
select
    project_id,
    table,
    max(expirations.through) as through
from errata_raw.expirations as expirations
group by project_id, table
