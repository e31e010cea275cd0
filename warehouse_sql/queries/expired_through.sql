-- purpose: up to which day of receipt the rows of one project in one table may be gone
-- returns: one row, or none: through

select max(expirations.through) as through
from errata_raw.expirations as expirations
where table = {table:String}
having count() > 0
