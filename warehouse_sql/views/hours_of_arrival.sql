-- errata_read.hours_of_arrival
-- purpose: when the first error that occurred in an hour came in, of all projects, as builds have recorded it
-- returns: one row per build and hour: window_start, first_received_at
-- inputs:  errata_ops.window_arrivals

create or replace view errata_read.hours_of_arrival
definer = current_user sql security definer
as
select
    window_start,
    first_received_at
from errata_ops.window_arrivals
where mart = 'variant_hourly'
