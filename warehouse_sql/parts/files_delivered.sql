-- purpose: the steps from pieces of files (`pieces`) to what was delivered of each file
-- returns: the steps ranges, counted and files of a statement; files has the columns of delivery_daily

ranges as (
    select
        *,
        max(byte_to) over (
            partition by project_id, day, host, file, id
            order by byte_from, byte_to
            rows between unbounded preceding and 1 preceding
        ) as reached,
        -- Of a file without a day in its name only a part was written that day.
        byte_from > reached and (reached > 0 or is_dated) as is_after_gap
    from pieces
),

counted as (
    select
        project_id,
        day,
        host,
        file,
        id as file_id,
        any(first_id) as first_file_id,
        max(size) as written_bytes,
        max(byte_to) as delivered_until,
        toUInt64(sum(greatest(0, toInt64(byte_to) - toInt64(greatest(byte_from, reached))))) as delivered_bytes,
        toUInt64(sum(ranges.repeated_bytes) + sum(byte_to - byte_from) - delivered_bytes) as repeated_bytes,
        toUInt64(sumIf(byte_from - reached, is_after_gap)) as gap_bytes,
        toUInt32(countIf(is_after_gap)) as gap_count,
        arraySort(groupArrayIf((reached, byte_from), is_after_gap)) as gaps,
        sum(ranges.accepted_count) as accepted_count,
        sum(ranges.rejected_count) as rejected_count,
        sum(ranges.set_aside_count) as set_aside_count,
        sum(ranges.batch_count) as batch_count,
        sum(ranges.repeated_batch_count) as repeated_batch_count,
        min(first_at) as first_received_at,
        max(last_at) as last_received_at,
        sumMap(lag_values, lag_numbers) as lags,
        maxMap(lag_hours, hour_lags) as longest_lags,
        arrayReduce('quantilesExactWeighted(0.5, 0.95)', lags.1, lags.2) as percentiles,
        if(empty(lags.1), nan, toFloat64(percentiles[1])) as lag_ms_p50,
        if(empty(lags.1), nan, toFloat64(percentiles[2])) as lag_ms_p95,
        if(empty(lags.1), nan, toFloat64(arrayMax(longest_lags.2))) as lag_ms_max,
        arrayZip(lags.1, lags.2) as lag_counts,
        arrayZip(longest_lags.1, longest_lags.2) as hourly_lags,
        max((piece_ended_at, piece_end)) as last_end,
        -- The furthest byte, and the moment it first came.
        max((byte_to, -toUnixTimestamp64Milli(reached_at))) as furthest,
        last_end.2 as end_told,
        last_end.1 as ended_at,
        fromUnixTimestamp64Milli(-furthest.2, 'UTC') as furthest_at,
        -- The file is there after all if more of it came later.
        if(ended_at >= furthest_at, end_told, '') as file_end,
        -- Reports and refused lines don't tell whose a file with accepted lines is.
        groupUniqArrayIf(ranges.service, ranges.batch_count > 0) as batch_services,
        groupUniqArrayIf(ranges.service, ranges.accepted_count > 0) as line_services,
        if(empty(line_services), batch_services, line_services) as services,
        if(length(services) = 1, services[1], '(several)') as service
    from ranges
    group by project_id, day, host, file, file_id
),

files as (
    select
        * except (lags, longest_lags, percentiles, last_end, furthest, batch_services, line_services, services)
    from counted
)
