-- purpose: the outcome of each data check that ran in the last day
-- returns: one row per check: check_name, is_passed, checked_at

select
    check_name,
    is_passed,
    checked_at
from errata_read.latest_checks
