-- mart_progress
-- purpose: how far a mart is, to skip raw rows by and to say "as of" and which days lack late rows
-- parameters: marts
-- returns: one row per mart that was built: mart, complete_through, as_of, waiting_days
-- inputs:  errata_read.build_progress

select
    mart,
    complete_through,
    as_of,
    waiting_days
from errata_read.build_progress
where mart in {marts:Array(String)}
