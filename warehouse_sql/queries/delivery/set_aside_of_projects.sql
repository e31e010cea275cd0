-- purpose: which figures of some projects are not up to date, because their rows could not be built
-- returns: one row per mart and reason, longest first: mart, reason, window_count, first_window, last_window (1970: all of the mart), since, next_attempt_at, attempt_count

select
    mart,
    reason,
    count() as window_count,
    min(window_start) as first_window,
    max(window_start) as last_window,
    min(windows.since) as since,
    min(windows.next_attempt_at) as next_attempt_at,
    max(windows.attempt_count) as attempt_count
from errata_read.set_aside_windows as windows
where project_id in {projects:Array(UInt32)}
group by mart, reason
order by since, mart, reason
