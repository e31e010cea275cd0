-- expired_through
-- purpose: up to which day of receipt the rows of one project in one table may be gone
-- parameters: table
-- returns: one row, or none: through
-- inputs:  errata_raw.expirations

select max(expirations.through) as through
from errata_raw.expirations as expirations
where table = {table:String}
having count() > 0
