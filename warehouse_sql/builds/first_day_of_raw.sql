-- purpose: the first day of receipt that any raw table holds rows of; a table without partitions by day holds nothing that a build reads

select min(toDateOrNull(partition)) as first_day
from system.parts
where database = 'errata_raw' and active
