-- purpose: what totals count by now
-- returns: one row: issues_through and variants_through, before which events were received that the totals of issues and of variants count (1970:
--   nothing is built), assigned_since (when the totals of issues were built), held (periods that both count, with their starts)

with of_variants as (
    -- A build writes the same value into every row.
    select
        max(built_through) as through,
        max(periods) as held
    from (
        select
            built_through,
            periods
        from errata_mart.variant_totals
        limit 1
    )
),

of_issues as (
    select
        max(counted_through) as through,
        max(built_through) as assigned_since,
        max(periods) as held
    from (
        select
            counted_through,
            built_through,
            periods
        from errata_mart.issue_totals
        limit 1
    )
)

select
    of_issues.through as issues_through,
    of_variants.through as variants_through,
    of_issues.assigned_since as assigned_since,
    arrayIntersect(of_issues.held, of_variants.held) as held
from of_issues
cross join of_variants
