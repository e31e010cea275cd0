-- disk_of_backups
-- purpose: where the server's disk for backups is; no row: it has none
-- parameters: disk

select path
from system.disks
where name = {disk:String}
