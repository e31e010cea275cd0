-- purpose: the windows of a mart that any rows came in for

select distinct window_start
from errata_ops.window_arrivals
where
    mart = {mart:String}
    and table_uuid in (
        select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
    )
order by window_start
