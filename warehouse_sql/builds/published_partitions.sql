-- purpose: the version that counts, for each day of a mart

select partition_pair.1 as day, partition_pair.2 as version
from (
    select argMax(arrayZip(partitions.day, partitions.version), number) as pairs
    from errata_ops.builds
    where
        mart = {mart:String}
        and table_uuid in (
            select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
        )
)
array join pairs as partition_pair
