-- purpose: how many rows and bytes some versions of a mart have

select sum(rows) as row_count, sum(bytes_on_disk) as byte_count
from system.parts
where database = 'errata_mart' and table = {mart:String} and active
    and toUInt64(arrayElement(splitByChar('-', partition_id), -1)) in {versions:Array(UInt64)}
