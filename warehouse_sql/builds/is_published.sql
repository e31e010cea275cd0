-- is_published
-- purpose: whether a build was published
-- parameters: mart, number, attempt

select count() as build_count
from errata_ops.builds
where mart = {mart:String} and number = {number:UInt64} and attempt = {attempt:String}
