-- variant_of_parts
-- purpose: a variant is of an issue that has more of them than a parameter holds; as the query variants_of_parts
-- parameters: part_ids, configuration
-- names: none
variant_hash in (
    select variant_hash
    from errata_raw.variant_issues
    where
        variant_hash in (
            select variant_hash
            from errata_raw.variant_issues
            where issue_id in {${part_ids}:Array(UInt64)}
        )
    group by variant_hash
    having
        if(
            argMaxIf(issue_id, recorded_at, authority = 2) != 0,
            argMaxIf(issue_id, recorded_at, authority = 2),
            argMaxIf(
                issue_id,
                (configuration = {${configuration}:UInt32}, authority, recorded_at),
                authority < 2
            )
        ) in {${part_ids}:Array(UInt64)}
)
