-- purpose: the number of the last build of a mart

select max(number) as number
from errata_ops.builds
where mart = {mart:String}
