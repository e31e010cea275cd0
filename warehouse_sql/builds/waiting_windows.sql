-- purpose: the windows of a mart that lack rows received before its watermark, the longest waiting first

select
    waiting_window.1 as window_start,
    waiting_window.2 as since,
    waiting_window.3 as row_count
from (
    select argMax(waiting, number) as windows
    from errata_ops.builds
    where
        mart = {mart:String}
        and table_uuid in (
            select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
        )
)
array join windows as waiting_window
order by since, window_start
