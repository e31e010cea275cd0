-- purpose: what each host reported and delivered in a period, when it last did, and its longest lags by hour or day of receipt
-- definition: Written is the largest size that a host reported of each log file; delivered counts the bytes stored, each once; missing bytes were
--   skipped or can no longer arrive; bytes in transit may still arrive. A host that never reported is unknown. Lag is the time from when the
--   newest line of a batch was written until the batch was stored; of an hour or day the longest counts.
-- parameters: complete_through (what was received before it is in the mart: skips raw rows), files_since (first day to look for hosts), since (first day of what is added up), until (the day after the last), host (empty: all), services (empty: all; an empty name: keys without a service), lag_seconds (a step of the lags)
-- returns: one row per host, its hours with deliveries of two weeks at least, and the longest time between two of them; also of those without a file in the period; lags: (steps of receipt in which something came, the longest lag of each in ms)

select
    host,
    countIf(is_asked) as file_count,
    countIf(files.missing_bytes > 0 and is_asked) as missing_file_count,
    countIf(files.waiting_bytes > 0 and is_asked) as waiting_file_count,
    sumIf(files.written_bytes, is_asked) as written_bytes,
    sumIf(files.delivered_bytes, is_asked) as delivered_bytes,
    sumIf(files.missing_bytes, is_asked) as missing_bytes,
    sumIf(files.waiting_bytes, is_asked) as waiting_bytes,
    sumIf(files.repeated_bytes, is_asked) as repeated_bytes,
    sumIf(files.gap_count, is_asked) as gap_count,
    countIf(files.is_cut_off and is_asked) as cut_off_count,
    sumIf(files.accepted_count, is_asked) as accepted_count,
    sumIf(files.rejected_count, is_asked) as rejected_count,
    sumIf(files.set_aside_count, is_asked) as set_aside_count,
    sumIf(files.batch_count, is_asked) as batch_count,
    sumIf(files.repeated_batch_count, is_asked) as repeated_batch_count,
    -- Without a time of writing, the lag is nan, which max() would prefer.
    maxIf(files.lag_ms_max, is_asked and isFinite(files.lag_ms_max)) as lag_ms_max,
    max(files.last_received_at) as last_received_at,
    arraySort(groupUniqArrayArray(tupleElement(files.hourly_lags, 1))) as heard,
    length(heard) as heard_hours,
    -- Between the starts of hours.
    toUInt32(arrayMax(arrayDifference(arrayMap(hour -> toUnixTimestamp(hour), heard)))) as longest_silence_seconds,
    maxMapIf(
        arrayMap(
            hour -> toStartOfInterval(hour, toIntervalSecond({lag_seconds:UInt32}), 'UTC'),
            tupleElement(files.hourly_lags, 1)
        ),
        tupleElement(files.hourly_lags, 2),
        is_asked
    ) as lags
from (
    select
        *,
        day >= {since:Date} and day < {until:Date} as is_asked
    from (
        ${part:delivery_files}
    )
) as files
where
    ({host:String} = '' or host = {host:String})
    and (empty({services:Array(String)}) or has({services:Array(String)}, service))
group by host
order by missing_bytes desc, host
-- The pass costs a quarter of planning, and finds nothing here.
settings enable_materialized_cte = 1, optimize_and_compare_chain = 0
