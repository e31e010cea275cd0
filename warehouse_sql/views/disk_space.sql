-- errata_read.disk_space
-- purpose: whether there is room for more: the disk that tables are stored on, as the warehouse sees it
-- returns: one row: free_bytes, total_bytes
-- inputs:  system.disks

create or replace view errata_read.disk_space
definer = current_user sql security definer
as
select
    free_space as free_bytes,
    total_space as total_bytes
from system.disks
where name = 'default'
