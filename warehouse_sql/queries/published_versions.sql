-- published_versions
-- purpose: the versions of marts that count now
-- parameters: marts
-- returns: one row per mart that was ever built: mart, versions
-- inputs:  errata_ops.builds

select
    mart,
    argMax(partitions.version, number) as versions
from errata_ops.builds
where mart in {marts:Array(String)}
group by mart
