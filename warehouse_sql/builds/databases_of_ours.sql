-- databases_of_ours
-- purpose: the databases of ours that a server has
-- parameters: databases

select name
from system.databases
where has({databases:Array(String)}, name)
order by name
