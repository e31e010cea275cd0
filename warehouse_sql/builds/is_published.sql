-- purpose: whether a build was published

select count() as build_count
from errata_ops.builds
where mart = {mart:String} and number = {number:UInt64} and attempt = {attempt:String}
