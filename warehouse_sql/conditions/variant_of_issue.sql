-- variant_of_issue
-- purpose: a variant is of an issue that has more of them than a parameter holds
-- parameters: issue_id
-- names: none
variant_hash in (
    select variant_hash
    from errata_raw.variant_assignments final
    where issue_id = {${issue_id}:UInt64}
)
