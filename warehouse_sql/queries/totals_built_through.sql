-- totals_built_through
-- purpose: whether the totals of variants are another build than they were: any row tells, all are swapped in together
-- parameters: project_id
-- returns: no row before the first build, else one: built_through
-- inputs:  errata_read.variant_totals

select built_through
from errata_read.variant_totals(projects = [{project_id:UInt32}])
limit 1
