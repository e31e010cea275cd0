-- expired_through
-- purpose: up to which day of receipt the rows of one project in one table may be gone
-- parameters: project_id, table
-- returns: one row, or none: through
-- inputs:  errata_read.expirations

select through
from errata_read.expirations
where project_id = {project_id:UInt32} and table = {table:String}
