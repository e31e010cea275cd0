-- purpose: what happened on each side of comparisons, by source and span of six hours: the user, or the client of those who are not identified;
--   of a busy site the users whose hash is below the comparison's share
select
    number,
    is_after,
    is_known,
    if(is_known, known, client) as source,
    intDiv(at, 21600000) as span,
    sum(happened.exposure_count) as exposure_count,
    sum(happened.error_count) as error_count
from happened
inner join (
    select
        side.1 as number,
        side.2 as release,
        side.3 as is_after,
        side.4 as since,
        side.5 as until,
        side.6 as share
    from (
        select arrayJoin(arrayZip(
            {numbers:Array(UInt32)},
            {releases:Array(String)},
            {is_after:Array(UInt8)},
            {sinces_ms:Array(Int64)},
            {untils_ms:Array(Int64)},
            {shares:Array(UInt32)}
        )) as side
    )
) as sides
    on happened.release = sides.release
where
    at >= since
    and at < until
    and (not is_known or cityHash64(known) % 1000000 < share)
group by number, is_after, is_known, source, span
order by number, is_after, source, span
