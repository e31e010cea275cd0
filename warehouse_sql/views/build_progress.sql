-- errata_read.build_progress
-- purpose: how far each mart is: a bound below which no live edge need be looked for, the watermark of its last build, and the moment before which rows of all projects are counted
-- returns: one row per mart: complete_through, through, as_of
-- inputs:  errata_ops.builds, system.tables

create or replace view errata_read.build_progress
definer = current_user sql security definer
as
select
    mart,
    -- A reader is told versions of at most 45 s ago, and its request runs for 20 s: none sees the bound of newer ones.
    maxIf(watermark, finished_at < now64(6) - interval 90 second) as complete_through,
    max(watermark) as through,
    arrayMin(arrayPushBack(argMax(late, number).3, through)) as as_of
from errata_ops.builds
where (mart, table_uuid) in (select name, uuid from system.tables where database = 'errata_mart')
group by mart
