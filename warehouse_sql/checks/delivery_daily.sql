-- delivery_daily
-- purpose: whether the batches counted in a table, with their copies, add up to the deliveries kept in raw
-- parameters: windows, received_from, received_to
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.delivery_daily, errata_raw.deliveries

select
    (
        select sum(batch_count + repeated_batch_count)
        from ${table}
        where day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    ) as built_count,
    (
        select count()
        from errata_raw.deliveries
        where
            toDateTime(day, 'UTC') in {windows:Array(DateTime('UTC'))}
            and host != ''
            and file != ''
            and received_at >= {received_from:DateTime64(3, 'UTC')}
            and received_at < {received_to:DateTime64(3, 'UTC')}
    ) as expected_count
