-- purpose: the databases of ours that a server has

select name
from system.databases
where has({databases:Array(String)}, name)
order by name
