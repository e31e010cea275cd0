-- mart_progress
-- purpose: how far a mart is, to skip raw rows by and to say "as of"
-- parameters: mart
-- returns: one row, none before the first build: complete_through, as_of
-- inputs:  errata_read.build_progress

select
    complete_through,
    as_of
from errata_read.build_progress
where mart = {mart:String}
