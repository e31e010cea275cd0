-- first_arrivals_of_hours
-- purpose: from which moment of receipt on the errors have to be looked at that occurred in some hours
-- parameters: hours
-- returns: one row per hour that builds have met: hour, first_received_at
-- inputs:  errata_read.hours_of_arrival

select
    window_start as hour,
    min(arrivals.first_received_at) as first_received_at
from errata_read.hours_of_arrival as arrivals
where window_start in {hours:Array(DateTime('UTC'))}
group by window_start
