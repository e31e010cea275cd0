-- purpose: parts on the disk of versions that a build has replaced, of these days
-- parameters: mart, number (of the build), days (as in ids of partitions; none: all)

select count() as part_count
from system.parts
where
    database = 'errata_mart'
    and table = {mart:String}
    and match(partition_id, '[0-9]{15,}$')
    and bitShiftRight(toUInt64(extract(partition_id, '[0-9]+$')), 16) < {number:UInt64}
    and (
        empty({days:Array(String)})
        or has({days:Array(String)}, extract(partition_id, '^[0-9]+'))
    )
