-- purpose: how fast the disk fills, and what retention gives back
-- returns: one row per table and day: table (with its database), day, byte_count

select
    concat(database, '.', table) as table,
    day,
    byte_count
from errata_read.stored_days
