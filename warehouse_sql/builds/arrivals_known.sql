-- purpose: whether the arrivals recorded for a mart's table were all found by this search

select count() > 0 and countIf(arrivals.search != {search:String}) = 0 as are_known
from errata_ops.window_arrivals as arrivals
where
    mart = {mart:String}
    and table_uuid in (
        select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
    )
