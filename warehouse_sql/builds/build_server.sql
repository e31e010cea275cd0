-- purpose: the replica on which marts are built

select server
from errata_ops.build_server
where name = 'builds'
