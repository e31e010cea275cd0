-- purpose: the delivery ledger as of this very moment: files as they were built, and what was delivered of them since
-- parameters: complete_through (what was received before it is in the mart: skips raw rows), files_since (the first day of log files)
-- returns: one row per file as in delivery_daily, and what of its end is still to come or can never come; the statement needs enable_materialized_cte
with days as materialized (
    select
        day,
        max(daily.built_through) as built_through
    from errata_mart.delivery_daily as daily
    where day >= {files_since:Date}
    group by day
),

names as (
    select
        project_id,
        day,
        host,
        file,
        argMax(daily.first_file_id, built_through) as first_file_id
    from errata_mart.delivery_daily as daily
    where day >= {files_since:Date}
    group by project_id, day, host, file
),

touched as materialized (
    -- The files that something may have arrived of since they were built.
    select
        project_id,
        day,
        host,
        base_name as file,
        argMinIf(file_id, (received_at, byte_from, file_id), file_id != '') as first_id
    from errata_raw.deliveries
    where
        day >= {files_since:Date}
        and received_at >= {complete_through:DateTime64(3, 'UTC')}
        and host != ''
        and base_name != ''
    group by project_id, day, host, file
),

named as (
    -- What arrived, and of batches that came before what is in the mart.
    select
        deliveries.project_id as project_id,
        deliveries.day as day,
        deliveries.host as host,
        deliveries.base_name as base_name,
        deliveries.file_id as file_id,
        deliveries.batch_id as batch_id,
        deliveries.byte_from as byte_from,
        deliveries.byte_to as byte_to,
        deliveries.file_bytes as file_bytes,
        deliveries.file_end as file_end,
        deliveries.accepted_count as accepted_count,
        deliveries.rejected_count as rejected_count,
        deliveries.set_aside_count as set_aside_count,
        deliveries.newest_logged_at as newest_logged_at,
        deliveries.received_at as received_at,
        deliveries.service as service,
        deliveries.named_date as named_date,
        -- Batches without a file ID, from older shippers, belong to the first file reported under the name.
        if(names.first_file_id = '', touched.first_id, names.first_file_id) as first_id,
        deliveries.received_at >= days.built_through as is_new
    from errata_raw.deliveries as deliveries
    inner join touched
        on deliveries.project_id = touched.project_id
        and deliveries.day = touched.day
        and deliveries.host = touched.host
        and deliveries.base_name = touched.file
    left join names
        on deliveries.project_id = names.project_id
        and deliveries.day = names.day
        and deliveries.host = names.host
        and deliveries.base_name = names.file
    left join days on deliveries.day = days.day
    where
        -- Read by the table's key.
        (deliveries.project_id, deliveries.host, deliveries.byte_from, deliveries.batch_id) in (
            select
                project_id,
                host,
                byte_from,
                batch_id
            from errata_raw.deliveries
            where
                day >= {files_since:Date}
                and received_at >= {complete_through:DateTime64(3, 'UTC')}
        )
        -- Skips partitions: no file is received more than two days before its own day.
        and deliveries.received_at >= toDateTime64((select min(day) from touched), 3, 'UTC') - toIntervalDay(2)
),

${part:batches_sent},

kept as (
    -- What was delivered of a file by the last build: the ranges between its gaps. The first stands for all else.
    select
        daily.*,
        if(first_file_id = '', touched.first_id, first_file_id) as first_id,
        if(file_id = '', first_id, file_id) as id,
        arrayJoin(range(1, length(gaps) + 2)) as number,
        if(number = 1, 0, gaps[number - 1].2) as range_from,
        if(number > length(gaps), delivered_until, gaps[number].1) as range_to,
        -- A file without a day in its name may begin anywhere.
        toUInt64(delivered_until - gap_bytes - delivered_bytes) as skipped_bytes
    from errata_mart.delivery_daily as daily
    inner join touched
        on daily.project_id = touched.project_id
        and daily.day = touched.day
        and daily.host = touched.host
        and daily.file = touched.file
    where daily.day >= {files_since:Date}
),

pieces as (
    select * except (is_empty, has_lag, lag_ms, lag_unit)
    from sent
    union all
    select
        project_id,
        day,
        host,
        file,
        id,
        first_id,
        skipped_bytes = 0 as is_dated,
        if(number = 1, skipped_bytes, range_from) as byte_from,
        range_to as byte_to,
        written_bytes as size,
        if(number = 1, kept.repeated_bytes, 0) as repeated_bytes,
        if(number = 1, kept.accepted_count, 0) as accepted_count,
        if(number = 1, kept.rejected_count, 0) as rejected_count,
        if(number = 1, kept.set_aside_count, 0) as set_aside_count,
        if(number = 1, kept.batch_count, 0) as batch_count,
        if(number = 1, kept.repeated_batch_count, 0) as repeated_batch_count,
        first_received_at as first_at,
        last_received_at as last_at,
        if(number = 1, tupleElement(lag_counts, 1), []) as lag_values,
        if(number = 1, tupleElement(lag_counts, 2), []) as lag_numbers,
        if(number = 1, tupleElement(hourly_lags, 1), []) as lag_hours,
        if(number = 1, tupleElement(hourly_lags, 2), []) as hour_lags,
        end_told as piece_end,
        ended_at as piece_ended_at,
        furthest_at as reached_at,
        kept.service as service
    from kept
),

${part:files_delivered},

listed as (
    select * except (built_through, version)
    from errata_mart.delivery_daily
    where
        day >= {files_since:Date}
        and (project_id, day, host, file) not in (select project_id, day, host, file from touched)
    union all
    select *
    from files
)

select
    * except (first_file_id, lag_counts, end_told, ended_at, furthest_at) replace (arraySlice(gaps, 1, 1000) as gaps),
    toUInt64(written_bytes - delivered_until) as tail_bytes,
    -- Its host went on with later files for more than a day: whatever held the end back, it is over.
    max(last_received_at) over (
        partition by project_id, host
        order by toInt32(day)
        range between 1 following and unbounded following
    ) > last_received_at + toIntervalDay(1) as is_left_behind,
    tail_bytes > 0 and (file_end != '' or is_left_behind) as is_cut_off,
    gap_bytes + if(is_cut_off, tail_bytes, 0) as missing_bytes,
    if(is_cut_off, 0, tail_bytes) as waiting_bytes
from listed
