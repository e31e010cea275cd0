-- next_build_number
-- purpose: a number greater than that of every build of a mart, by the warehouse's clock
-- parameters: mart

select greatest(toUnixTimestamp64Milli(now64(3)), max(number) + 1) as number
from errata_ops.builds
where mart = {mart:String}
