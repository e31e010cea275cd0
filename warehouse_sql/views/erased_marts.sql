-- errata_read.erased_marts
-- purpose: the marts rebuilt without the rows of erasures
-- returns: one row per erasure and mart: erasure_id, mart (empty: the files are gone), recorded_at, window_count, set_aside_count
-- inputs:  errata_ops.erased_marts

create or replace view errata_read.erased_marts
definer = current_user sql security definer
as
select
    erasure_id,
    mart,
    recorded_at,
    window_count,
    set_aside_count
from errata_ops.erased_marts
