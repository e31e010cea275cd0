-- purpose: the clock by which rows are received
-- returns: one row: now

select now64(3) as now
