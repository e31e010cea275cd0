-- variant_totals_version
-- purpose: which build the totals of variants are of
-- parameters: project_id
-- returns: one row: built_through
-- inputs:  errata_read.variant_totals

select max(built_through) as built_through
from errata_read.variant_totals(projects = [{project_id:UInt32}])
where period = 'all'
