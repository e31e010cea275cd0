-- published_versions
-- purpose: the versions of marts that count now
-- parameters: marts
-- returns: one row per mart that was ever built: mart, versions, as_of (of the build that published them)
-- inputs:  errata_ops.builds

select
    mart,
    argMax(partitions.version, number) as versions,
    argMax(watermark, number) as as_of
from errata_ops.builds
where mart in {marts:Array(String)}
group by mart
