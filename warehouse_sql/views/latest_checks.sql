-- errata_read.latest_checks
-- purpose: the latest outcome of each data check of the last day, so that a check that a version no longer has is left out
-- returns: one row per check: check_name, is_passed, checked_at
-- inputs:  errata_ops.check_results

create or replace view errata_read.latest_checks
definer = current_user sql security definer
as
select
    check_name,
    latest.1 as is_passed,
    latest.2 as checked_at
from (
    select check_name, argMax((is_passed, checked_at), checked_at) as latest
    from errata_ops.check_results
    where checked_at > now64(3) - interval 1 day
    group by check_name
)
