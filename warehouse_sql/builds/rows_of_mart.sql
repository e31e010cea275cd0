-- rows_of_mart
-- purpose: how many rows a mart has, published or not; 0 without a table
-- parameters: mart

select sum(rows) as row_count
from system.parts
where active and database = 'errata_mart' and table = {mart:String}
