-- first_arrivals_of_days
-- purpose: from which moment of receipt on the copies have to be looked for of what occurred on some days
-- parameters: mart, days
-- returns: one row per day that builds have met: arrival_day, first_received_at (milliseconds)
-- inputs:  errata_read.days_of_arrival

select
    day as arrival_day,
    toUnixTimestamp64Milli(min(arrivals.first_received_at)) as first_received_at
from errata_read.days_of_arrival as arrivals
where
    mart = {mart:String}
    and day in {days:Array(Date)}
group by arrival_day
