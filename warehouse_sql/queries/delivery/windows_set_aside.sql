-- purpose: the windows of projects that marts could not build, and whether their next attempt is due
-- parameters: marts (empty: all)
-- returns: one row per mart, project and window

select
    *,
    next_attempt_at <= now64(3) as is_due
from errata_read.set_aside_windows
where empty({marts:Array(String)}) or mart in {marts:Array(String)}
order by mart, project_id, window_start
