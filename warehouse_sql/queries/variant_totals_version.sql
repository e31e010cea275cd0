-- variant_totals_version
-- purpose: which build the totals of variants are of
-- returns: one row: built_through
-- inputs:  errata_mart.variant_totals

select max(built_through) as built_through
from errata_mart.variant_totals
where period = 'all'
