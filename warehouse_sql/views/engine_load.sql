-- errata_read.engine_load
-- purpose: what the engine holds: its memory, the parts of its tables, and the statements that run
-- returns: one row: memory_bytes, part_count, statement_count
-- inputs:  system.metrics, system.parts

create or replace view errata_read.engine_load
definer = current_user sql security definer
as
select
    (select toUInt64(greatest(value, 0)) from system.metrics where metric = 'MemoryTracking') as memory_bytes,
    (select count() from system.parts where active and startsWith(database, 'errata_')) as part_count,
    (select toUInt64(value) from system.metrics where metric = 'Query') as statement_count
