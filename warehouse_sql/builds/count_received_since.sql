-- purpose: how many rows of a project a table received since a moment

select count() as row_count
from ${table}
where
    project_id = {project_id:UInt32}
    and received_at >= {since:DateTime64(3, 'UTC')}
