-- errata_read.build_progress
-- purpose: how far each mart is: a bound below which no live edge need be looked for, and the moment to say "as of"
-- returns: one row per mart: complete_through, as_of, waiting_days (days with late rows that are deferred)
-- inputs:  errata_ops.builds, system.tables

create or replace view errata_read.build_progress
definer = current_user sql security definer
as
select
    mart,
    -- No statement of a reader runs as long as a minute: none that was told older versions sees the bound of newer ones.
    maxIf(watermark, finished_at < now64(6) - interval 60 second) as complete_through,
    max(watermark) as as_of,
    arraySort(arrayDistinct(arrayMap(one -> toDate(one.1), argMax(waiting, number)))) as waiting_days
from errata_ops.builds
where (mart, table_uuid) in (select name, uuid from system.tables where database = 'errata_mart')
group by mart
