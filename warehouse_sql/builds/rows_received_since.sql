-- purpose: the rows of a project that a table received since a moment, as they are stored

select *
from ${table}
where
    project_id = {project_id:UInt32}
    and received_at >= {since:DateTime64(3, 'UTC')}
