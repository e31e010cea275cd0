-- watermark_of_mart
-- purpose: the moment before which every row received is in a mart, or waits; 1970 before the first build
-- parameters: mart

select max(watermark) as watermark
from errata_ops.builds
where
    mart = {mart:String}
    and table_uuid in (
        select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
    )
