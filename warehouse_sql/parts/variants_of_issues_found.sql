-- variants_of_issues_found
-- purpose: the variants of issues that a condition on ids and names of issues selects, for conditions on events
-- names:   issue_condition
-- returns: one row per variant: variant_hash
-- inputs:  errata_raw.variants, errata_raw.variant_assignments
select variant_hash
from errata_raw.variant_assignments final
where issue_id in (
    select issue_id
    from (
        ${part:texts_of_issues}
    )
    where ${issue_condition}
)
