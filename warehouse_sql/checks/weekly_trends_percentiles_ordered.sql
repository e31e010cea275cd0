-- purpose: how many rows have percentiles that fall
-- returns: one row: wrong_count

select countIf(not isNaN(p50) and (p50 > p75 or p75 > p95)) as wrong_count
from errata_mart.weekly_trends
