-- disk_space
-- purpose: whether there is room for more
-- returns: one row: free_bytes, total_bytes
-- inputs:  errata_read.disk_space

select
    free_bytes,
    total_bytes
from errata_read.disk_space
