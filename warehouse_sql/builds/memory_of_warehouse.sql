-- purpose: the bytes that the warehouse may use

select toUInt64(value) as memory
from system.server_settings
where name = 'max_server_memory_usage'
