-- errata_read.stored_tables
-- purpose: how many rows the raw tables have, of all projects together
-- returns: one row per table: table, row_count
-- inputs:  system.parts

create or replace view errata_read.stored_tables
definer = current_user sql security definer
as
select
    table,
    sum(rows) as row_count
from system.parts
where active and database = 'errata_raw'
group by table
