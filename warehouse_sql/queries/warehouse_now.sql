-- warehouse_now
-- purpose: the clock by which rows are received
-- returns: one row: now
-- inputs:  none

select now64(3) as now
