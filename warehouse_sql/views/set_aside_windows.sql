-- errata_read.set_aside_windows
-- purpose: what of one project a mart could not be built of and waits to be tried again
-- returns: one row per mart, project and window: mart, project_id, window_start (1970: all of the project), since, reason, message, attempt_count,
--   next_attempt_at, row_count
-- inputs:  errata_ops.set_aside_windows, system.tables

create or replace view errata_read.set_aside_windows
definer = current_user sql security definer
as
select
    mart,
    project_id,
    window_start,
    latest.1 as since,
    latest.2 as reason,
    latest.3 as message,
    latest.4 as attempt_count,
    latest.5 as next_attempt_at,
    latest.6 as row_count
from (
    select
        mart,
        project_id,
        window_start,
        argMax((since, reason, message, attempt_count, next_attempt_at, row_count), recorded_at) as latest,
        argMax(state, recorded_at) as latest_state
    from errata_ops.set_aside_windows
    where (mart, table_uuid) in (select name, uuid from system.tables where database = 'errata_mart')
    group by mart, project_id, window_start
)
where latest_state = 'set_aside'
