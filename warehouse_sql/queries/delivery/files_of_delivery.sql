-- purpose: the files of the delivery page: those with bytes missing first, then the newest
-- definition: Written is the largest size that the host reported of the log file; delivered counts the bytes stored, each once; missing bytes were
--   skipped or can no longer arrive; bytes in transit may still arrive.
-- parameters: complete_through (what was received before it is in the mart: skips raw rows), files_since (first day), until (the day after the last), host (empty: all), services (empty: all; an empty name: keys without a service), is_missing_only, has_cursor, after_is_whole, after_day, after_host, after_file, after_file_id (the row before the first), limit
-- returns: one row per file, as in delivery_files

select
    files.*,
    missing_bytes = 0 as is_whole
from (
    ${part:delivery_files}
) as files
where
    day < {until:Date}
    and ({host:String} = '' or host = {host:String})
    and (empty({services:Array(String)}) or has({services:Array(String)}, service))
    and (not {is_missing_only:Bool} or missing_bytes > 0)
    and (
        not {has_cursor:Bool}
        or (is_whole, -toInt32(day), toString(host), file, file_id) > (
            {after_is_whole:UInt8},
            -toInt32({after_day:Date}),
            {after_host:String},
            {after_file:String},
            {after_file_id:String}
        )
    )
order by is_whole, day desc, host, file, file_id
limit {limit:UInt32}
-- The pass costs a quarter of planning, and finds nothing here.
settings enable_materialized_cte = 1, optimize_and_compare_chain = 0
