-- totals_built_through
-- purpose: whether the totals of variants are another build than they were: any row tells, all are swapped in together
-- returns: no row before the first build, else one: built_through
-- inputs:  errata_mart.variant_totals

select built_through
from errata_mart.variant_totals
limit 1
