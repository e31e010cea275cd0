-- purpose: records for the table of a mart what was recorded for an earlier one
-- parameters: mart, search, table_uuid (of the earlier table)

insert into errata_ops.window_arrivals
    (mart, window_start, first_received_at, last_received_at, row_count, table_uuid, search)
select {mart:String}, window_start, min(of_build.first_received_at), max(of_build.last_received_at),
    sum(of_build.row_count),
    (select uuid from system.tables where database = 'errata_mart' and name = {mart:String}),
    {search:String}
from (
    -- A build that failed is followed by one that finds the same.
    select distinct window_start, first_received_at, last_received_at, row_count
    from errata_ops.window_arrivals
    where mart = {mart:String} and table_uuid = {table_uuid:UUID}
) as of_build
group by window_start, toDate(of_build.first_received_at)
