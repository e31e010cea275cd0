-- errata_read.days_of_arrival
-- purpose: when the first row of a day came in, of all projects, as builds of a mart by days have recorded it
-- returns: one row per mart, build and day: mart, day, first_received_at
-- inputs:  errata_ops.window_arrivals

create or replace view errata_read.days_of_arrival
definer = errata_admin sql security definer
as
select
    mart,
    toDate(window_start) as day,
    first_received_at
from errata_ops.window_arrivals
where mart in ('page_metrics_daily', 'endpoint_metrics_daily')
