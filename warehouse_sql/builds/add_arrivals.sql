-- purpose: records when rows of some windows came in
-- parameters: mart, search (the way the windows were found), starts, firsts, lasts, row_counts (in the order of the windows)

insert into errata_ops.window_arrivals
    (mart, window_start, first_received_at, last_received_at, row_count, table_uuid, search)
select {mart:String}, row.1, row.2, row.3, row.4,
    (select uuid from system.tables where database = 'errata_mart' and name = {mart:String}),
    {search:String}
from (
    select arrayJoin(arrayZip(
        {starts:Array(DateTime('UTC'))},
        {firsts:Array(DateTime64(3, 'UTC'))},
        {lasts:Array(DateTime64(3, 'UTC'))},
        {row_counts:Array(UInt64)}
    )) as row
)
