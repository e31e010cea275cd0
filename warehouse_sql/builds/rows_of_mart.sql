-- purpose: how many rows a mart has, published or not; 0 without a table

select sum(rows) as row_count
from system.parts
where active and database = 'errata_mart' and table = {mart:String}
