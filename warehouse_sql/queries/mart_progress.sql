-- mart_progress
-- purpose: how far a mart is, to skip raw rows by and to say "as of"
-- parameters: mart
-- returns: one row, none before the first build: complete_through, as_of, waiting_days, waiting_since (rows of such a day received from then on are not in the mart, though complete_through has passed them)
-- inputs:  errata_read.build_progress

select
    complete_through,
    as_of,
    arrayMap(one -> toDate(tupleElement(one, 1)), waiting_windows) as waiting_days,
    arrayMap(one -> toUnixTimestamp64Milli(tupleElement(one, 2)), waiting_windows) as waiting_since
from errata_read.build_progress
where mart = {mart:String}
