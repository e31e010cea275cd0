-- errata_read.stored_days
-- purpose: how fast the disk fills: what each table holds of each day, compressed
-- returns: one row per table and day of its partitions: database, table, day, byte_count; tables without a partition per day are left out
-- inputs:  system.parts

create or replace view errata_read.stored_days
definer = current_user sql security definer
as
select
    database,
    table,
    toDateOrNull(extract(partition, '\\d{4}-\\d{2}-\\d{2}')) as day,
    sum(bytes_on_disk) as byte_count
from system.parts
where
    active
    and database in ('errata_raw', 'errata_mart')
    and day is not null
group by database, table, day
