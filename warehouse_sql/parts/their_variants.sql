-- purpose: a condition: a variant is of issues that are named. By the key of the tables: what other variants have is not read
variant_hash in (
    select variant_hash
    from errata_raw.variant_assignments final
    where issue_id in {issue_ids:Array(UInt64)}
)
