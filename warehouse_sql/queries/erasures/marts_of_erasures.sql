-- purpose: the marts rebuilt without the rows of erasures, and when no file held them any more
-- returns: one row per erasure and mart: erasure_id, mart (empty: the files are gone), recorded_at, window_count, set_aside_count (of
--   the last time)

select
    erasure_id,
    mart,
    min(erased.recorded_at) as recorded_at,
    max(erased.window_count) as window_count,
    argMax(erased.set_aside_count, erased.recorded_at) as set_aside_count
from errata_read.erased_marts as erased
where erasure_id in {erasures:Array(UUID)}
group by erasure_id, mart
order by erasure_id, mart
