-- files_of_delivery
-- purpose: the files of the delivery page: those with bytes missing first, then the newest
-- definition: Written is the largest size that the host reported of the log file; delivered counts the bytes stored, each once; missing bytes were
--   skipped or can no longer arrive; bytes in transit may still arrive.
-- parameters: complete_through (what was received before it is in the mart: skips raw rows), since (first day), until (the day after the last), host (empty: all), is_missing_only, has_cursor, after_is_whole, after_day, after_host, after_file, after_file_id (the row before the first), limit
-- returns: one row per file as in errata_read.delivery_files
-- inputs:  errata_read.delivery_files

select
    files.*,
    missing_bytes = 0 as is_whole
from errata_read.delivery_files(
    complete_through = {complete_through:DateTime64(3, 'UTC')},
    since = {since:Date}
) as files
where
    day < {until:Date}
    and ({host:String} = '' or host = {host:String})
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
