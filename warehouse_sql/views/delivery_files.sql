-- errata_read.delivery_files
-- purpose: the delivery ledger as of this very moment: files as they were built, and those that got deliveries since
-- parameters: projects, since (the first day of log files)
-- returns: one row per file as in delivery_daily, and what of its end is still to come or can never come
-- inputs:  errata_mart.delivery_daily, errata_raw.deliveries, errata_read.build_progress

create or replace view errata_read.delivery_files
definer = errata_admin sql security definer
as
with counted as (
    select *
    from errata_mart.delivery_daily
    where
        project_id in {projects:Array(UInt32)}
        and day >= {since:Date}
),

built as materialized (
    -- A kill inside a swap can leave two versions of a day; the later one holds.
    select
        day,
        max(counted.built_through) as built_through
    from counted
    group by day
),

changed as materialized (
    -- Files that got deliveries no built row knows of. They are read again whole: ranges overlap, batches repeat.
    select distinct
        deliveries.project_id as project_id,
        deliveries.day as day,
        deliveries.host as host,
        deliveries.base_name as file
    from errata_raw.deliveries as deliveries
    left join built on deliveries.day = built.day
    where
        deliveries.project_id in {projects:Array(UInt32)}
        and deliveries.day >= {since:Date}
        and deliveries.host != ''
        and deliveries.file != ''
        -- Only skips what is in the mart for sure; the last line decides.
        and deliveries.received_at >= (
            select max(complete_through)
            from errata_read.build_progress
            where mart = 'delivery_daily'
        )
        and deliveries.received_at >= built.built_through
),

told as (
    select
        project_id,
        day,
        host,
        base_name,
        file_id,
        batch_id,
        byte_from,
        byte_to,
        file_bytes,
        file_end,
        accepted_count,
        rejected_count,
        set_aside_count,
        newest_logged_at,
        received_at,
        named_date
    from errata_raw.deliveries
    where
        project_id in {projects:Array(UInt32)}
        and (project_id, day, host, base_name) in (select project_id, day, host, file from changed)
        -- Skips partitions: no file is received more than two days before its own day.
        and received_at >= toDateTime64((select min(day) from changed), 3, 'UTC') - toIntervalDay(2)
        and file != ''
),

named as (
    select
        *,
        -- What came before a shipper told of ids belongs to the file it told of first.
        argMinIf(file_id, (received_at, byte_from, file_id), file_id != '') over (
            partition by project_id, day, host, base_name
        ) as first_id
    from told
),

batches as (
    -- Of copies of a batch the one received first counts.
    select
        project_id,
        day,
        host,
        base_name as file,
        if(file_id = '', first_id, file_id) as id,
        batch_id,
        byte_from as since,
        byte_to as until,
        named.file_end as end_told,
        named_date = day as is_dated,
        min(received_at) as first_at,
        max(received_at) as last_at,
        max(file_bytes) as largest_bytes,
        argMin((accepted_count, rejected_count, set_aside_count, newest_logged_at), (received_at, rejected_count)) as first_copy,
        count() as copy_count
    from named
    group by project_id, day, host, file, id, batch_id, since, until, end_told, is_dated
),

ranges as (
    select
        * except (since, until),
        tupleElement(first_copy, 1) + tupleElement(first_copy, 2) + tupleElement(first_copy, 3) as line_count,
        -- An end says where delivery stopped; it delivers nothing itself.
        until < since or (line_count = 0 and end_told != '') as is_empty,
        if(is_empty, 0, since) as byte_from,
        if(is_empty, 0, until) as byte_to,
        greatest(largest_bytes, if(until < since, 0, until)) as size,
        max(byte_to) over (
            partition by project_id, day, host, file, id
            order by byte_from, byte_to, batch_id, end_told
            rows between unbounded preceding and 1 preceding
        ) as reached,
        -- Of a file without a day in its name only a part was written that day.
        byte_from > reached and (reached > 0 or is_dated) as is_after_gap,
        tupleElement(first_copy, 4) > toDateTime64(0, 3, 'UTC') as has_lag,
        greatest(0, toUnixTimestamp64Milli(first_at) - toUnixTimestamp64Milli(tupleElement(first_copy, 4))) as lag_ms
    from batches
),

files as (
    select
        project_id,
        day,
        host,
        file,
        id as file_id,
        max(size) as written_bytes,
        max(byte_to) as delivered_until,
        toUInt64(sumIf(byte_from - reached, is_after_gap)) as gap_bytes,
        countIf(is_after_gap) as gap_count,
        arraySort(groupArrayIf(1000)((reached, byte_from), is_after_gap)) as gaps,
        toUInt64(sum(greatest(0, toInt64(byte_to) - toInt64(greatest(byte_from, reached))))) as delivered_bytes,
        toUInt64(sum(byte_to - byte_from) - delivered_bytes) as repeated_bytes,
        sum(tupleElement(first_copy, 1)) as accepted_count,
        sum(tupleElement(first_copy, 2)) as rejected_count,
        sum(tupleElement(first_copy, 3)) as set_aside_count,
        count() as batch_count,
        toUInt64(sum(copy_count) - batch_count) as repeated_batch_count,
        min(first_at) as first_received_at,
        max(last_at) as last_received_at,
        arrayReduce('quantilesExactInclusive(0.5, 0.95, 1)', groupArrayIf(lag_ms, has_lag)) as lags,
        maxMapIf([toStartOfHour(first_at)], [toUInt64(lag_ms)], has_lag) as longest_lags,
        argMax(end_told, (end_told != '', first_at, end_told)) as last_end,
        maxIf(first_at, end_told != '') as ended_at,
        max((byte_to, -toUnixTimestamp64Milli(first_at))) as furthest
    from ranges
    group by project_id, day, host, file, file_id
),

listed as (
    select
        project_id,
        day,
        host,
        file,
        file_id,
        written_bytes,
        delivered_until,
        delivered_bytes,
        repeated_bytes,
        gap_bytes,
        gap_count,
        gaps,
        accepted_count,
        rejected_count,
        set_aside_count,
        batch_count,
        repeated_batch_count,
        first_received_at,
        last_received_at,
        lag_ms_p50,
        lag_ms_p95,
        lag_ms_max,
        hourly_lags,
        file_end
    from counted
    where
        (day, counted.built_through) in (select day, built_through from built)
        and (project_id, day, host, file) not in (select project_id, day, host, file from changed)
    union all
    select
        project_id,
        day,
        host,
        file,
        file_id,
        written_bytes,
        delivered_until,
        delivered_bytes,
        repeated_bytes,
        gap_bytes,
        gap_count,
        gaps,
        accepted_count,
        rejected_count,
        set_aside_count,
        batch_count,
        repeated_batch_count,
        first_received_at,
        last_received_at,
        lags[1] as lag_ms_p50,
        lags[2] as lag_ms_p95,
        lags[3] as lag_ms_max,
        arrayZip(tupleElement(longest_lags, 1), tupleElement(longest_lags, 2)) as hourly_lags,
        -- The file is there after all if more of it came later.
        if(toUnixTimestamp64Milli(ended_at) >= -tupleElement(furthest, 2), last_end, '') as file_end
    from files
)

select
    *,
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
settings enable_materialized_cte = 1
