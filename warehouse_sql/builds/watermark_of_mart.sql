-- purpose: the moment before which every row received is in a mart, or waits, and the number of windows of that build; 1970 before the first one

select
    max(watermark) as watermark,
    argMax(window_count, number) as window_count
from errata_ops.builds
where
    mart = {mart:String}
    and table_uuid in (
        select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
    )
