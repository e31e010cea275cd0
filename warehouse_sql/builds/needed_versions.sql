-- purpose: the versions of a mart that a statement may be reading: those of the builds of the last ten minutes, and of the one before them

select arrayDistinct(arrayFlatten(groupArray(partitions.version))) as versions
from errata_ops.builds
where
    mart = {mart:String}
    and number >= (
        select max(number)
        from errata_ops.builds
        where mart = {mart:String} and finished_at < now64(6) - interval 10 minute
    )
