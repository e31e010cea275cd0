-- purpose: where the server's disk for backups is; no row: it has none

select path
from system.disks
where name = {disk:String}
