-- purpose: when rows of some windows came in, as all builds of a mart so far have recorded it
-- returns: one row per window: window_start, first_received_at, last_received_at, row_count, receipt_days

select
    window_start,
    min(of_day.first_received_at) as first_received_at,
    max(of_day.last_received_at) as last_received_at,
    sum(of_day.row_count) as row_count,
    groupUniqArrayArray(of_day.receipt_days) as receipt_days
from (
    select
        window_start,
        min(of_table.first_received_at) as first_received_at,
        max(of_table.last_received_at) as last_received_at,
        -- A table made anew found all again.
        max(of_table.row_count) as row_count,
        groupUniqArrayArray(of_table.receipt_days) as receipt_days
    from (
        select
            window_start,
            toDate(arrivals.first_received_at) as day,
            min(arrivals.first_received_at) as first_received_at,
            max(arrivals.last_received_at) as last_received_at,
            sum(arrivals.row_count) as row_count,
            groupUniqArrayArray(
                arrayMap(
                    number -> toDate(arrivals.first_received_at) + number,
                    range(toUInt32(toDate(arrivals.last_received_at) - toDate(arrivals.first_received_at) + 1))
                )
            ) as receipt_days
        from (
            -- A build that failed is followed by one that finds the same.
            select distinct window_start, first_received_at, last_received_at, row_count, table_uuid
            from errata_ops.window_arrivals
            where mart = {mart:String} and window_start in {starts:Array(DateTime('UTC'))}
        ) as arrivals
        group by window_start, day, table_uuid
    ) as of_table
    group by window_start, day
) as of_day
group by window_start
order by window_start
