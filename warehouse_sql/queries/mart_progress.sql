-- purpose: how far a mart is, to skip raw rows by, to evaluate windows up to, and to say "as of" of all projects together
-- returns: one row per mart that was built: mart, complete_through, through, as_of

select
    mart,
    complete_through,
    through,
    as_of
from errata_read.build_progress
where mart in {marts:Array(String)}
