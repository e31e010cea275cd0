-- purpose: whether there is room for more
-- returns: one row: free_bytes, total_bytes

select
    free_bytes,
    total_bytes
from errata_read.disk_space
