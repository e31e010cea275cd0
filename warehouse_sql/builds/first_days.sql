-- purpose: the first day with rows of each mart built from raw, as builds have recorded it

select
    mart,
    toDate(min(window_start)) as first_day
from errata_ops.window_arrivals
group by mart
