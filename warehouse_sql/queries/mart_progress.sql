-- mart_progress
-- purpose: how far a mart is, to skip raw rows by and to say "as of" and which days lack late rows
-- parameters: mart
-- returns: one row, none before the first build: complete_through, as_of, waiting_days
-- inputs:  errata_read.build_progress

select
    complete_through,
    as_of,
    waiting_days
from errata_read.build_progress
where mart = {mart:String}
