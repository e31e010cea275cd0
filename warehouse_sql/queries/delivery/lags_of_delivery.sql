-- lags_of_delivery
-- purpose: the longest lag of each host by hour or day of receipt
-- definition: Lag is the time from when the newest line of a batch was written until the batch was stored. Each point is the longest lag of a host in
--   that hour or day of receipt.
-- parameters: complete_through (what was received before it is in the mart: skips raw rows), since (first day), until (the day after the last), host (empty: all), bucket_seconds
-- returns: one row per host and step of time in which something came: bucket_start, lag_ms
-- inputs:  errata_read.delivery_files

select
    host,
    toStartOfInterval(tupleElement(lag, 1), toIntervalSecond({bucket_seconds:UInt32}), 'UTC') as bucket_start,
    max(tupleElement(lag, 2)) as lag_ms
from errata_read.delivery_files(
    complete_through = {complete_through:DateTime64(3, 'UTC')},
    since = {since:Date}
) as files
array join hourly_lags as lag
where
    day < {until:Date}
    and ({host:String} = '' or host = {host:String})
group by host, bucket_start
order by host, bucket_start
