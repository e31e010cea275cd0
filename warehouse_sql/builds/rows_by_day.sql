-- purpose: how many rows a raw table holds of each day of receipt
-- parameters: raw (the table)

select toDate(partition) as day, sum(rows) as row_count
from system.parts
where concat(database, '.', table) = {raw:String} and active
group by day
