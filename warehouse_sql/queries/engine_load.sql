-- purpose: what the engine holds, for those who watch it
-- returns: one row: memory_bytes, part_count, statement_count

select
    memory_bytes,
    part_count,
    statement_count
from errata_read.engine_load
