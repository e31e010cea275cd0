-- totals_held
-- purpose: what totals count by now
-- parameters: spans (periods with their starts)
-- returns: one row: issues_through and variants_through, before which events were received that the totals of issues and of variants count (1970:
--   nothing is built), assigned_since (when the totals of issues were built), held (those of the spans that both have)
-- inputs:  errata_mart.issue_totals, errata_mart.variant_totals

with of_variants as (
    select
        max(built_through) as through,
        groupUniqArray((period::String, since)) as held
    from errata_mart.variant_totals
    where (period, since) in {spans:Array(Tuple(String, DateTime('UTC')))} or period = 'all'
),

of_issues as (
    select
        max(counted_through) as through,
        max(built_through) as assigned_since,
        groupUniqArray((period::String, since)) as held
    from errata_mart.issue_totals
    where is_whole and ((period, since) in {spans:Array(Tuple(String, DateTime('UTC')))} or period = 'all')
)

select
    of_issues.through as issues_through,
    of_variants.through as variants_through,
    of_issues.assigned_since as assigned_since,
    arrayIntersect(of_issues.held, of_variants.held) as held
from of_issues
cross join of_variants
