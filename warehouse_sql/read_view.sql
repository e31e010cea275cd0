create or replace view errata_read.${table}
definer = errata_admin sql security definer
as select * from ${database}.${table} where project_id in {projects:Array(UInt32)}
