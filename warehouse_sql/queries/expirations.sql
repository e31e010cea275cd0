-- purpose: up to which day of receipt the rows of each project may be gone, as recorded until a moment
-- returns: one row per project and table: project_id, table, through

select
    project_id,
    table,
    max(expirations.through) as through
from errata_raw.expirations as expirations
where recorded_at <= {recorded_before:DateTime64(3, 'UTC')}
group by project_id, table
order by project_id, table
