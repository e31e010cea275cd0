-- endpoint_metrics_hourly
-- purpose: whether the calls counted in a table add up to those kept in raw
-- parameters: windows, window_start, window_end, is_every_window, received_from, received_to, receipt_days, is_every_day
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.endpoint_metrics_hourly, errata_raw.requests

select
    (
        select sum(call_count)
        from ${table}
        where hour in {windows:Array(DateTime('UTC'))}
    ) as built_count,
    (
        select uniqExact(project_id, item_id)
        from errata_raw.requests
        where
            ({is_every_window:Bool} or toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))})
            and occurred_at >= {window_start:DateTime('UTC')}
            and occurred_at < {window_end:DateTime('UTC')}
            and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
            and received_at >= {received_from:DateTime64(3, 'UTC')}
            and received_at < {received_to:DateTime64(3, 'UTC')}
    ) as expected_count
