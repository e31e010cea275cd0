-- purpose: the variants of issues that a condition on ids and names of issues selects, for conditions on events
-- returns: one row per variant: variant_hash
select variant_hash
from errata_raw.variant_assignments final
where issue_id in (
    select issue_id
    from (
        ${part:texts_of_issues}
    )
    where ${issue_condition}
)
