-- purpose: the steps from rows of deliveries (`named`) to what each batch sent of its file, of copies the first
-- returns: the steps batches and sent of a statement

batches as (
    -- Of copies of a batch the one received first counts.
    select
        project_id,
        day,
        host,
        base_name as file,
        if(file_id = '', first_id, file_id) as id,
        first_id,
        batch_id,
        byte_from as since,
        byte_to as until,
        named.file_end as end_told,
        named_date = day as is_dated,
        countIf(not is_new) > 0 as is_known,
        countIf(is_new) as copy_count,
        minIf(received_at, is_new) as first_at,
        maxIf(received_at, is_new) as last_at,
        maxIf(file_bytes, is_new) as largest_bytes,
        argMinIf(
            (accepted_count, rejected_count, set_aside_count, newest_logged_at, service),
            (received_at, rejected_count),
            is_new
        ) as first_copy
    from named
    group by project_id, day, host, file, id, first_id, batch_id, since, until, end_told, is_dated
    having copy_count > 0
),

sent as (
    select
        project_id,
        day,
        host,
        file,
        id,
        first_id,
        is_dated,
        -- An end says where delivery stopped; it delivers nothing itself.
        is_known
            or until < since
            or (end_told != '' and first_copy.1 + first_copy.2 + first_copy.3 = 0) as is_empty,
        if(is_empty, 0, since) as byte_from,
        if(is_empty, 0, until) as byte_to,
        greatest(largest_bytes, if(until < since, 0, until)) as size,
        toUInt64(0) as repeated_bytes,
        toUInt64(if(is_known, 0, first_copy.1)) as accepted_count,
        toUInt64(if(is_known, 0, first_copy.2)) as rejected_count,
        toUInt64(if(is_known, 0, first_copy.3)) as set_aside_count,
        toUInt64(not is_known) as batch_count,
        toUInt64(copy_count - batch_count) as repeated_batch_count,
        first_at,
        last_at,
        not is_known and first_copy.4 > toDateTime64(0, 3, 'UTC') as has_lag,
        toUInt64(greatest(0, toUnixTimestamp64Milli(first_at) - toUnixTimestamp64Milli(first_copy.4))) as lag_ms,
        -- Three digits are enough, so that a day of batches makes few numbers.
        toUInt64(intExp10(greatest(0, length(toString(lag_ms)) - 3))) as lag_unit,
        if(has_lag, [intDiv(lag_ms, lag_unit) * lag_unit], []) as lag_values,
        if(has_lag, [toUInt64(1)], []) as lag_numbers,
        if(has_lag, [toStartOfHour(first_at)], []) as lag_hours,
        if(has_lag, [lag_ms], []) as hour_lags,
        if(is_known, '', end_told) as piece_end,
        if(piece_end = '', toDateTime64(0, 3, 'UTC'), first_at) as piece_ended_at,
        first_at as reached_at,
        first_copy.5 as service
    from batches
)
