-- purpose: how long the last build of each mart took
-- returns: one row per mart that was ever built: mart, seconds

select
    mart,
    argMax(seconds, number) as seconds
from errata_ops.builds
group by mart
