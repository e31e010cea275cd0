-- page_metrics_daily
-- purpose: whether the views counted in a table add up to the loads kept in raw
-- parameters: windows, window_start, window_end, is_every_window, received_from, received_to, receipt_days, is_every_day
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.page_metrics_daily, errata_raw.page_views

select
    (
        select sum(sample_count)
        from ${table}
        where metric = 'view' and day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    ) as built_count,
    (
        select uniqExact(project_id, item_id)
        from errata_raw.page_views
        where
            is_load
            and ({is_every_window:Bool} or toStartOfDay(occurred_at) in {windows:Array(DateTime('UTC'))})
            and occurred_at >= {window_start:DateTime('UTC')}
            and occurred_at < {window_end:DateTime('UTC')}
            and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
            and received_at >= {received_from:DateTime64(3, 'UTC')}
            and received_at < {received_to:DateTime64(3, 'UTC')}
    ) as expected_count
