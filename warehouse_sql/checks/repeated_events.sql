-- repeated_events
-- purpose: whether the copies left out of a table are as many as raw has more rows than events
-- parameters: windows, window_start, window_end, received_from, received_to
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.repeated_events, errata_raw.error_events

select
    (
        select sum(copy_count - 1)
        from ${table}
        where hour in {windows:Array(DateTime('UTC'))}
    ) as built_count,
    (
        select count() - uniqExact(project_id, item_id)
        from errata_raw.error_events
        where
            toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))}
            and occurred_at >= {window_start:DateTime('UTC')}
            and occurred_at < {window_end:DateTime('UTC')}
            and received_at >= {received_from:DateTime64(3, 'UTC')}
            and received_at < {received_to:DateTime64(3, 'UTC')}
    ) as expected_count
