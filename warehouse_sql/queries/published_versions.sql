-- purpose: the versions of marts that count now
-- returns: one row per mart that was ever built: mart, versions, through (the watermark of the build that published them), late (whose rows from before it they lack)

select
    mart,
    argMax(partitions.version, number) as versions,
    argMax(watermark, number) as through,
    arrayMap(one -> (one.1, one.2, one.3), argMax(late, number)) as late
from errata_ops.builds
where mart in {marts:Array(String)}
group by mart
