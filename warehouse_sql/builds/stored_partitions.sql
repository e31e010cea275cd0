-- purpose: the partitions of a mart, published or not

select distinct partition_id
from system.parts
where database = 'errata_mart' and table = {mart:String} and active
