-- totals_version
-- purpose: what the totals of variants count by now
-- parameters: spans (periods with their starts)
-- returns: one row: built_through (1970: nothing is built), held (those of the spans that the totals have)
-- inputs:  errata_mart.variant_totals

select
    max(built_through) as built_through,
    groupUniqArrayIf(
        (period::String, since),
        (period::String, since) in {spans:Array(Tuple(String, DateTime('UTC')))}
    ) as held
from errata_mart.variant_totals
