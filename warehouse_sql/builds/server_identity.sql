-- purpose: which server this is: the id it keeps, and that of its system database, which no two servers share

select concat(toString(serverUUID()), ' ', toString(uuid)) as id
from system.databases
where name = 'system'
