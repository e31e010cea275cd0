-- purpose: the mean size of a row of a mart

select sum(data_uncompressed_bytes) / greatest(sum(rows), 1) as row_bytes
from system.parts
where database = 'errata_mart' and table = {mart:String} and active
