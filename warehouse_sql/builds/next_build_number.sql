-- purpose: a number greater than that of every build of a mart, by the warehouse's clock

select greatest(toUnixTimestamp64Milli(now64(3)), max(number) + 1) as number
from errata_ops.builds
where mart = {mart:String}
